/** The pages for people, and the files that they consist of. */
@NullMarked
package io.sluice.center.page;

import org.jspecify.annotations.NullMarked;
