// Package manifests holds the YAML that is applied to clusters.
package manifests

import "embed"

// FS has the manifests at its top level, for example "fakedriver.yaml", and
// those that become part of node images in "node".
//
//go:embed *.yaml node/*.yaml
var FS embed.FS

// SchedulerName is what scheduler.yaml calls the bundled scheduler, which runs
// beside another: pods name it in spec.schedulerName.
const SchedulerName = "draconform-scheduler"
