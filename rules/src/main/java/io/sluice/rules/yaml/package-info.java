/**
 * YAML and JSON as a tree that knows where everything stands, for rule documents and configuration files: each error has its
 * line and column, and all errors come at once.
 */
@NullMarked
package io.sluice.rules.yaml;

import org.jspecify.annotations.NullMarked;
