/** The pages for people, with their files. */
@NullMarked
package io.sluice.center.page;

import org.jspecify.annotations.NullMarked;
