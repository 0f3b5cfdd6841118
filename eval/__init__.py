"""Evaluations of the shipped system."""
