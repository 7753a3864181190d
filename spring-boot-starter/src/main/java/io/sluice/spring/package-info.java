/** What users of Spring write and catch: annotations, the exception of a refusal, and what is known of the current request. */
@NullMarked
package io.sluice.spring;

import org.jspecify.annotations.NullMarked;
