package staticpod

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/clusters/gates"
)

const (
	apiServer     = "kube-apiserver"
	featureGates  = "feature-gates"
	runtimeConfig = "runtime-config"
)

// Gates returns the set of feature gates that the component runs with, and what is configured beside it.
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

// setGates configures a set of feature gates, and others.
func (m *Manifest) setGates(set gates.Set, others map[string]bool) {
	configured := maps.Clone(others)
	maps.Copy(configured, set.FeatureGates())
	if len(configured) == 0 {
		m.removeFlag(featureGates)
	} else {
		m.setFlag(featureGates, join(configured))
	}
}

// serve has an API server serve the APIs that a set needs instead of those that the one of before needs.
func (m *Manifest) serve(before, set gates.Set) {
	value, there := m.flag(runtimeConfig)
	apis := pairs(value)
	for api := range before.RuntimeConfig() {
		delete(apis, api)
	}
	maps.Copy(apis, set.RuntimeConfig())
	if there || len(apis) > 0 { // kind sets the flag even if it is empty
		m.setFlag(runtimeConfig, join(apis))
	}
}

// pairs reads a=b,c=d.
func pairs(value string) map[string]string {
	read := map[string]string{}
	for item := range strings.SplitSeq(value, ",") {
		if key, value, ok := strings.Cut(item, "="); ok {
			read[key] = value
		}
	}
	return read
}

func join[T any](values map[string]T) string {
	var items []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		items = append(items, fmt.Sprintf("%s=%v", key, values[key]))
	}
	return strings.Join(items, ",")
}
