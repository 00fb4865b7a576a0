"""Jobs: functions of a project's code that run in the background, when they are asked for or by the clock."""
