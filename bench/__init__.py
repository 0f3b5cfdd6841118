"""Measurements of the shipped system."""
