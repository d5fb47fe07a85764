// Package manifests holds the YAML that is applied to clusters.
package manifests

import "embed"

// FS has the manifests at its top level, for example "fakedriver.yaml".
//
//go:embed *.yaml node/*.yaml
var FS embed.FS
