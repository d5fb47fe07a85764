// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongFields are clusters whose API server stores or converts fields incorrectly,
// or selects by them incorrectly.
var wrongFields = wrong.Table{
	"API server drops a field": {
		Options: misstores(func(o map[string]any) { drop(o, "matchFields") }), Spec: "fields-are-kept",
		Want: []string{"a slice of selected nodes: spec.nodeSelector.nodeSelectorTerms[0].matchFields should have 1 items, and has 0"},
	},
	"API server changes a value": {
		Options: misstores(func(o map[string]any) { set(o, "int", float64(7)) }), Spec: "fields-are-kept",
		Want: []string{"a slice of a node: spec.devices[0].attributes.int.int should be -7, and is 7"},
	},
	"API server drops a field of the status": {
		Options: misstores(func(o map[string]any) { drop(o, "source") }), Spec: "fields-are-kept",
		Want: []string{"a claim: status.allocation.devices.config[0].source should be FromClass, and is <nil>"},
	},
	"v1beta1 has no configuration": {
		Options: misconverts("v1beta1", func(o map[string]any) { drop(o, "opaque") }), Spec: "v1beta1-has-the-same-fields",
		Want: []string{"a class: its spec is written in v1, and in v1beta1 it has not", `"level: 3"`},
	},
	"v1beta1 has another count": {
		Options: misconverts("v1beta1", func(o map[string]any) { set(o, "count", float64(1)) }), Spec: "v1beta1-has-the-same-fields",
		Want: []string{`a claim: its spec is written in v1, and in v1beta1 it has not ["count: 2"], and in addition ["count: 1"]`},
	},
	"v1beta1 loses the status of devices": {
		Options: misconverts("v1beta1", func(o map[string]any) { drop(o, "networkData") }), Spec: "v1beta1-has-the-same-fields",
		Want: []string{"a claim with the status of devices: its status is written in v1beta1, and is"},
	},
	"v1beta2 loses a field when it is written": {
		Options: misconverts("v1beta2", func(o map[string]any) {
			if o["apiVersion"] == "resource.k8s.io/v1beta2" {
				drop(o, "tolerationSeconds")
			}
		}),
		Spec: "v1beta2-has-the-same-fields", Want: []string{"a claim with tolerations: its spec is written in v1beta2 as it was read, and in v1 it is"},
	},
	"v1beta2 has a value twice": {
		Options: misconverts("v1beta2", func(o map[string]any) { set(o, "values", []any{"a", "b", "b"}) }), Spec: "v1beta2-has-the-same-fields",
		Want: []string{"a slice of selected nodes: its spec is written in v1, and in v1beta2 it has"},
	},
	"API server ignores the pool in field selectors": {
		Options: wrong.With(fakecluster.APIServerMistakes{IgnoresFields: true}), Spec: "slices-are-selected-by-pool",
		Want: []string{"the field selector spec.pool.name=", "should select the slices with these devices"},
	},
	"API server ignores the node in field selectors": {
		Options: wrong.With(fakecluster.APIServerMistakes{IgnoresFields: true}), Spec: "slices-are-selected-by-field",
		Want: []string{"the field selector spec.driver=", "should select the slices with these devices"},
	},
}

func misstores(change func(map[string]any)) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{Misstores: change})
}

// misconverts returns the options of a cluster whose API server changes objects that
// are read or written in a version.
func misconverts(version string, change func(map[string]any)) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{Misconverts: func(of string, object map[string]any) {
		if of == version {
			change(object)
		}
	}})
}

// drop removes a field wherever an object has it.
func drop(part any, field string) {
	each(part, func(o map[string]any) { delete(o, field) })
}

// set changes the value of a field wherever an object has it, if it has no parts
// that are objects.
func set(part any, field string, value any) {
	each(part, func(o map[string]any) {
		if old, ok := o[field]; ok {
			if _, isObject := old.(map[string]any); !isObject {
				o[field] = value
			}
		}
	})
}

// each calls a function for each object in a part of an object.
func each(part any, do func(map[string]any)) {
	switch part := part.(type) {
	case map[string]any:
		do(part)
		for _, value := range part {
			each(value, do)
		}
	case []any:
		for _, value := range part {
			each(value, do)
		}
	}
}
