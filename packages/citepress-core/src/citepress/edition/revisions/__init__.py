"""The revisions of records: stored compactly beside the pages, and rendered when somebody asks for one."""
