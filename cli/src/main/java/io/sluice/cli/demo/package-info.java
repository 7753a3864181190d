/** Sample traffic for a first look at Sluice: a sample service, rules, callers, and the requests that they send. */
@NullMarked
package io.sluice.cli.demo;

import org.jspecify.annotations.NullMarked;
