/** The commands that change the center's state, and the log that stores each command. */
@NullMarked
package io.sluice.center.command;

import org.jspecify.annotations.NullMarked;
