# Releases one table by a program in R: what `benchmarks.side_by_side` starts.
#
#     Rscript benchmarks/run_in_r.R NAME NUMBERS IN.csv OUT.csv K
#
# The table has a number for each row, which is left out, then the columns as texts, of which NUMBERS, with commas between,
# are numbers. OUT has as many rows. synthpop knows no k.

given <- commandArgs(trailingOnly = TRUE)
name <- given[1]
numbers <- strsplit(given[2], ",")[[1]]
k <- as.integer(given[5])
rows <- read.csv(given[3], colClasses = "character", na.strings = character(), check.names = FALSE)
rows$row_number <- NULL
set.seed(22)

# The values of a column in their order: those that are no numbers first.
ordered_values <- function(column) {
  values <- unique(column)
  number <- suppressWarnings(as.numeric(values))
  values[order(!is.na(number), number, values)]
}
values <- lapply(rows, ordered_values)
coded <- as.data.frame(mapply(match, rows, values), check.names = FALSE)
decoded <- function(codes) as.data.frame(mapply(`[`, values, codes), check.names = FALSE)

# MDAV's groups of at least k rows; sdcMicro gives the means of the codes of each group.
means <- function() as.data.frame(sdcMicro::microaggregation(coded, aggr = k, method = "mdav")$mx)

released <- switch(name,
  "sdcMicro MDAV, mean" = decoded(lapply(means(), function(codes) as.integer(round(codes)))),
  "sdcMicro MDAV, representative" = {
    group <- do.call(paste, means())
    middle <- function(codes) sort(codes)[(length(codes) + 1) %/% 2]
    mode <- function(codes) which.max(tabulate(codes))
    decoded(lapply(setNames(nm = names(coded)), function(column) {
      ave(coded[[column]], group, FUN = if (column %in% numbers) middle else mode)
    }))
  },
  "synthpop CART" = {
    typed <- as.data.frame(lapply(setNames(nm = names(rows)), function(column) {
      if (column %in% numbers) as.integer(rows[[column]]) else factor(rows[[column]])
    }), check.names = FALSE)
    # Columns of many values come last: a tree that splits by one of 40 nominal values tries 2^39 splits.
    levels <- sapply(typed, nlevels)
    library(synthpop)
    syn(typed, visit.sequence = order(levels), seed = 22, print.flag = FALSE)$syn
  }
)
write.csv(released, given[4], row.names = FALSE, quote = FALSE)
