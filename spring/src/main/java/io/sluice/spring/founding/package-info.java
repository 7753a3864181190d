/** The annotation of the founding documents. */
@NullMarked
package io.sluice.spring.founding;

import org.jspecify.annotations.NullMarked;
