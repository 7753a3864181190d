/** Orders to erase the stored data of one subject, and their results. */
@NullMarked
package io.sluice.runtime.erasure;

import org.jspecify.annotations.NullMarked;
