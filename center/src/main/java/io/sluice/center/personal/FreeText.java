package io.sluice.center.personal;

/**
 * A column with texts that people write.
 *
 * @param id the column with the number of the row
 */
public record FreeText(String table, String id, String column) {}
