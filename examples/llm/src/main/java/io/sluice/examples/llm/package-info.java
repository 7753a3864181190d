/** A gateway before a language model, three tenants, and the books of both sides. */
@NullMarked
package io.sluice.examples.llm;

import org.jspecify.annotations.NullMarked;
