/**
 * Answers that are the same for every entry point: headers, problem bodies, refusals in the caller's language, rulings as JSON.
 */
@NullMarked
package io.sluice.http.answer;

import org.jspecify.annotations.NullMarked;
