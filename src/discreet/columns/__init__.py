"""What can be said of a column: taxonomies, numbers and dates, intervals, sets, medians."""
