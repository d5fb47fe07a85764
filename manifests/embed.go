// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package manifests holds the YAML that is applied to clusters.
package manifests

import "embed"

// FS contains the manifests at its top level, for example "fakedriver.yaml",
// and the manifests of node images in "node".
//
//go:embed *.yaml node/*.yaml
var FS embed.FS

// SchedulerName is the name of the bundled scheduler of scheduler.yaml, which
// runs in addition to another scheduler. Pods select it with
// spec.schedulerName.
const SchedulerName = "draconform-scheduler"
