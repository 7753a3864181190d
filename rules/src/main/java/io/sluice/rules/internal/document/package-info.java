/** From documents to rules and back. */
@NullMarked
package io.sluice.rules.internal.document;

import org.jspecify.annotations.NullMarked;
