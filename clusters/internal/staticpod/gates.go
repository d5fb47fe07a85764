// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/gates"
)

const (
	apiServer     = "kube-apiserver"
	featureGates  = "feature-gates"
	runtimeConfig = "runtime-config"
	// servedForGates is the annotation of an API server that lists the APIs that it serves only because its gates need
	// them.
	servedForGates = "draconform.dev/served-for-gates"
)

// Servable lists the APIs that clusters can be created with in addition to the default ones.
var Servable = []string{"resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}

// Gates returns the set of feature gates that the component runs with, and all other configured gates.
func (m *Manifest) Gates() (set gates.Set, others map[string]bool, err error) {
	release, err := m.Release()
	if err != nil {
		return gates.Set{}, nil, err
	}
	configured := map[string]bool{}
	value, _ := m.flag(featureGates)
	for name, on := range pairs(value) {
		if configured[name], err = strconv.ParseBool(on); err != nil {
			return gates.Set{}, nil, fmt.Errorf("--%s: %s=%s: %w", featureGates, name, on, err)
		}
	}
	set, others = gates.Of(configured, release)
	return set, others, nil
}

// setGates configures a set of feature gates and other gates.
func (m *Manifest) setGates(set gates.Set, others map[string]bool) {
	configured := maps.Clone(others)
	maps.Copy(configured, set.FeatureGates())
	if len(configured) == 0 {
		m.removeFlag(featureGates)
	} else {
		m.setFlag(featureGates, gates.Flag(configured))
	}
}

// serve replaces the APIs that an API server serves for the old set with those that the new set needs. APIs that are
// served for another reason, for example on the user's request, are kept.
func (m *Manifest) serve(before, set gates.Set) {
	value, there := m.flag(runtimeConfig)
	apis := pairs(value)
	for _, api := range m.forGates(before) {
		delete(apis, api)
	}
	needed := set.RuntimeConfig()
	var added []string
	for _, api := range slices.Sorted(maps.Keys(needed)) {
		if apis[api] != needed[api] {
			apis[api] = needed[api]
			added = append(added, api)
		}
	}
	if len(needed) > 0 {
		metav1.SetMetaDataAnnotation(&m.pod.ObjectMeta, servedForGates, strings.Join(added, ","))
	} else {
		delete(m.pod.Annotations, servedForGates)
	}
	if there || len(apis) > 0 { // kind sets the flag even if it is empty
		m.setFlag(runtimeConfig, gates.Flag(apis))
	}
}

// forGates returns the APIs that are served for a set of gates. A manifest that was never changed has no annotation.
// Its Servable APIs may have been requested by the user, so they are kept.
func (m *Manifest) forGates(set gates.Set) []string {
	if list, annotated := m.pod.Annotations[servedForGates]; annotated {
		return strings.Split(list, ",")
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(set.RuntimeConfig())), func(api string) bool {
		return slices.Contains(Servable, api)
	})
}

// pairs parses a=b,c=d.
func pairs(value string) map[string]string {
	read := map[string]string{}
	for item := range strings.SplitSeq(value, ",") {
		if key, value, ok := strings.Cut(item, "="); ok {
			read[key] = value
		}
	}
	return read
}
