/** Code that the Spring integrations share. Not part of the API; it can change without notice. */
@NullMarked
package io.sluice.spring.internal;

import org.jspecify.annotations.NullMarked;
