"""Passive auditors: runs about runs, in files of their own, that the audited agents never see."""
