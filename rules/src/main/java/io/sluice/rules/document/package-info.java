/** Rule documents: reading YAML and JSON, writing JSON, and reporting errors. */
@NullMarked
package io.sluice.rules.document;

import org.jspecify.annotations.NullMarked;
