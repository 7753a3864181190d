/**
 * YAML and JSON as a tree in which every value knows its place. Used for rule documents and configuration files. Every error has a line and
 * a column, and all errors are reported together.
 */
@NullMarked
package io.sluice.rules.yaml;

import org.jspecify.annotations.NullMarked;
