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
	// servedForGates is the annotation of an API server that lists which APIs it serves for its gates only.
	servedForGates = "draconform.dev/served-for-gates"
)

// Servable are the APIs that clusters are created with on demand.
var Servable = []string{"resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"}

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

// serve has an API server serve the APIs that a set needs instead of those that it serves for the set of before. What it
// serves for another reason, such as that somebody asked for it, stays.
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
		m.setFlag(runtimeConfig, join(apis))
	}
}

// forGates are the APIs that are served for a set of gates. A manifest that was never changed does not tell, and those
// that clusters are created with on demand may have been asked for: they stay.
func (m *Manifest) forGates(set gates.Set) []string {
	if list, told := m.pod.Annotations[servedForGates]; told {
		return strings.Split(list, ",")
	}
	return slices.DeleteFunc(slices.Collect(maps.Keys(set.RuntimeConfig())), func(api string) bool {
		return slices.Contains(Servable, api)
	})
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
