/** Real databases for tests. */
@NullMarked
package io.sluice.testkit.database;

import org.jspecify.annotations.NullMarked;
