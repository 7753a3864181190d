/** Fields of queries, forms and JSON bodies that rules name, read strictly. */
@NullMarked
package io.sluice.http.field;

import org.jspecify.annotations.NullMarked;
