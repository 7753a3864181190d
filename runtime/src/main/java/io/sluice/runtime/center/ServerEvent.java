package io.sluice.runtime.center;

/**
 * One server-sent event.
 *
 * @param name what kind of event it is
 * @param id empty if it has none
 * @param data the text in UTF-8; empty if it was too long
 * @param tooLong whether the text was too long and was dropped
 */
record ServerEvent(String name, String id, byte[] data, boolean tooLong) {}
