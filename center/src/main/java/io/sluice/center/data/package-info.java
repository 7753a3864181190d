/**
 * The data that nodes send about their traffic, on its way to those who keep it. It is written to a journal before a node hears that
 * it is stored, so a restart of the center loses nothing and counts nothing twice.
 */
@NullMarked
package io.sluice.center.data;

import org.jspecify.annotations.NullMarked;
