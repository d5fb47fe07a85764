// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

func TestArgs(t *testing.T) {
	for name, tc := range map[string]struct {
		object          runtime.Object
		filter, binding time.Duration
		err             string
	}{
		"none":              {nil, 10 * time.Second, 10 * time.Minute, ""},
		"empty":             {&runtime.Unknown{Raw: []byte(`{}`)}, 10 * time.Second, 10 * time.Minute, ""},
		"JSON":              {&runtime.Unknown{Raw: []byte(`{"filterTimeout": "1s", "bindingTimeout": "2m"}`)}, time.Second, 2 * time.Minute, ""},
		"YAML, with a kind": {&runtime.Unknown{Raw: []byte("kind: DraconformResourcesArgs\nfilterTimeout: 0s\n")}, 0, 10 * time.Minute, ""},
		"misspelt":          {&runtime.Unknown{Raw: []byte(`{"filtertimeouts": "1s"}`)}, 0, 0, "unknown field"},
		"negative":          {&runtime.Unknown{Raw: []byte(`{"filterTimeout": "-1s"}`)}, 0, 0, "filterTimeout -1s is negative"},
		"too short":         {&runtime.Unknown{Raw: []byte(`{"bindingTimeout": "10ms"}`)}, 0, 0, "bindingTimeout 10ms is less than 1s"},
		"debugging for all": {&runtime.Unknown{Raw: []byte(`{"debugAddress": "0.0.0.0:10270"}`)}, 0, 0, "no loopback address"},
		"debugging by name": {&runtime.Unknown{Raw: []byte(`{"debugAddress": "localhost:10270"}`)}, 0, 0, "no loopback address"},
		"of another plugin": {&kubeschedulerconfig.DynamicResourcesArgs{}, 0, 0, "unexpected type"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			args, err := parseArgs(tc.object)
			if tc.err != "" {
				g.Expect(err).To(MatchError(ContainSubstring(tc.err)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(args.FilterTimeout.Duration).To(Equal(tc.filter))
			g.Expect(args.BindingTimeout.Duration).To(Equal(tc.binding))
		})
	}
}

func TestPluginNeedsDynamicResourceAllocation(t *testing.T) {
	features := defaultFeatures()
	features.EnableDynamicResourceAllocation = false
	_, err := newPlugin(t.Context(), nil, nil, features)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("DynamicResourceAllocation is disabled")))
}
