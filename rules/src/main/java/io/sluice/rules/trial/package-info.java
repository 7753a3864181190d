/** What can be tried before it is released to everybody, and how. */
@NullMarked
package io.sluice.rules.trial;

import org.jspecify.annotations.NullMarked;
