/** The API for Spring applications: the annotations, the exception for a refusal, and the current request. */
@NullMarked
package io.sluice.spring;

import org.jspecify.annotations.NullMarked;
