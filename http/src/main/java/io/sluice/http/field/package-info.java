/** Strict readers of the fields of queries, forms and JSON bodies that rules name. */
@NullMarked
package io.sluice.http.field;

import org.jspecify.annotations.NullMarked;
