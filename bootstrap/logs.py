"""Logs: structured lines on standard error, never with anybody's words in them."""

import logging
import sys

import structlog


def quiet_logs(*, verbose: bool) -> None:
    """Log from information up where ``verbose``, and otherwise only what went wrong."""
    level = logging.INFO if verbose else logging.ERROR
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
