// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"maps"

	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
)

// configuredGates reads the feature gates of a component's configuration file.
// Others are the configured gates that the table does not contain.
func configuredGates(config []byte, r clusters.Release) (set gates.Set, others map[string]bool, err error) {
	var file struct {
		FeatureGates map[string]bool `json:"featureGates"`
	}
	if err := yaml.Unmarshal(config, &file); err != nil {
		return gates.Set{}, nil, err
	}
	set, others = gates.Of(file.FeatureGates, r)
	return set, others, nil
}

// configure sets the feature gates of a component's configuration file to those
// of a set, and sets additional fields.
func configure(config []byte, from, to skew.Running, fields map[string]any) ([]byte, error) {
	_, configured, err := configuredGates(config, from.Release)
	if err != nil {
		return nil, err
	}
	var file map[string]any
	if err := yaml.Unmarshal(config, &file); err != nil {
		return nil, err
	}
	maps.Copy(configured, to.Gates.FeatureGates())
	if len(configured) == 0 {
		delete(file, "featureGates")
	} else {
		file["featureGates"] = configured
	}
	maps.Copy(file, fields)
	return yaml.Marshal(file)
}
