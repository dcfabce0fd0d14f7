# Rscript release.R TABLE POLICY RELEASE; README.md beside it says what is needed.
library(reticulate)

# As texts, lists of them column by column; a missing value is None, as an empty cell is.
to_discreet <- function(table) {
  pl <- import("polars", convert = FALSE)
  columns <- lapply(table, function(column) lapply(as.character(column), function(x) if (is.na(x)) NULL else x))
  pl$DataFrame(r_to_py(columns))
}

from_discreet <- function(table) {
  columns <- py_to_r(table$to_dict(as_series = FALSE))
  texts <- lapply(columns, function(column) vapply(column, function(x) if (is.null(x)) NA_character_ else x, ""))
  as.data.frame(texts, check.names = FALSE, stringsAsFactors = FALSE)
}

# The release of a data frame; an error where no release keeps the promises.
protect <- function(table, policy) {
  discreet <- import("discreet", convert = FALSE)
  original <- to_discreet(table)
  release <- discreet$protect(original, policy)
  stopifnot(py_to_r(discreet$verify(release$table, policy, original = original)$holds))
  from_discreet(release$table)
}

words <- commandArgs(trailingOnly = TRUE)
if (length(words) == 3) {
  table <- read.csv(words[1], colClasses = "character", check.names = FALSE)
  released <- tryCatch(protect(table, words[2]), error = function(error) {
    message("no release: ", conditionMessage(error))
    quit(status = 1)
  })
  write.csv(released, words[3], row.names = FALSE, quote = FALSE)
  cat(nrow(released), "rows released and verified\n")
}
