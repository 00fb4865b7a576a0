"""Jobs: functions of a project that run in the background, on request or on a schedule."""
