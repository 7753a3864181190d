package io.sluice.cli.audit;

import io.sluice.cli.apply.CenterAccess;

/** The center whose audit log is requested. */
final class AuditCenter extends CenterAccess {}
