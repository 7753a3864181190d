/** Rule documents: what is read from YAML and JSON, what is written, and what is wrong with them. */
@NullMarked
package io.sluice.rules.document;

import org.jspecify.annotations.NullMarked;
