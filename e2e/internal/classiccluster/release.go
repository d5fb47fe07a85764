// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/skew"
)

// UpgradeMistakes are faults of upgrades to releases without classic DRA.
type UpgradeMistakes struct {
	// KeepsContexts makes the API server serve PodSchedulingContexts still.
	KeepsContexts bool
	// KeepsFields makes it keep the fields of classic DRA.
	KeepsFields bool
	// LosesAllocations makes claims lose their allocations.
	LosesAllocations bool
	// LosesObjects makes it remove the claims.
	LosesObjects bool
	// RestoresClass makes it restore a class that was deleted.
	RestoresClass bool
	// ForgetsDevices makes the scheduler not know which devices are in use.
	ForgetsDevices bool
	// FreesAll makes the controller manager free claims that a driver has allocated.
	FreesAll bool
	// KeepsUnused makes it keep allocations of the scheduler without users.
	KeepsUnused bool
	// Guesses makes the scheduler bind pods whose claims it cannot allocate.
	Guesses bool
}

// version is a version of the API.
type version = string

// release is what a release has of the API.
type release struct {
	// serves is the version that it serves if DRA is enabled, and stores. It reads those in
	// reads, too.
	serves version
	reads  []version
}

var releases = map[string]release{
	"1.30": {serves: "v1alpha2"},
	"1.31": {serves: "v1alpha3"},
	"1.32": {serves: "v1beta1", reads: []version{"v1alpha3"}},
	"1.33": {serves: "v1beta1", reads: []version{"v1alpha3"}},
	"1.34": {serves: "v1", reads: []version{"v1beta1"}},
}

const draPath = "/apis/resource.k8s.io/"

// route returns the path of the objects of a request by the path in the version that it asks
// for. It reports false if that is not served.
func (c *Cluster) route(path string) (string, bool) {
	rest, ok := strings.CutPrefix(path, draPath)
	if !ok {
		return path, true
	}
	asked, rest, _ := strings.Cut(rest, "/")
	isContext := strings.Contains(rest, "podschedulingcontexts")
	gone := isContext && !c.isClassic() && !c.mistakes.Upgrade.KeepsContexts
	return resources + "/" + rest, asked == c.served && !gone
}

// isClassic reports whether the release has classic DRA.
func (c *Cluster) isClassic() bool { return c.minor == "1.30" || c.minor == "1.31" }

// unreadable returns the failure of an API server that cannot read one of the objects of a
// list, because a release that is too old has stored it.
func (c *Cluster) unreadable(items []string) *metav1.Status {
	of := releases[c.minor]
	for _, path := range items {
		if in := c.storedIn[path]; in != "" && in != of.serves && !slices.Contains(of.reads, in) {
			return failed(http.StatusInternalServerError, metav1.StatusReasonInternalError, "no kind is registered for version resource.k8s.io/%s", in)
		}
	}
	return nil
}

// store records in which version an object is stored.
func (c *Cluster) store(path string) {
	if strings.HasPrefix(path, resources) {
		c.storedIn[path] = releases[c.minor].serves
	}
}

// Change changes the release or the feature gates of the whole cluster. Changes of some
// components have no effect.
func (c Access) Change(_ context.Context, want skew.Want) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.advance()
	if minor := want.Release.Minor; minor != "" {
		c.c.upgrade(minor)
	}
	if want.Gates != "" {
		c.c.byDefault = want.Gates == "default"
	}
	c.c.served = releases[c.c.minor].serves
	if c.c.lacksDRA() {
		c.c.served = ""
	}
	return nil
}

// lacksDRA reports whether DRA is disabled, as it is by default before 1.34.
func (c *Cluster) lacksDRA() bool { return c.byDefault && c.minor != "1.34" }

// upgrade changes the release.
func (c *Cluster) upgrade(minor string) {
	m := c.mistakes.Upgrade
	c.minor, c.mistakes.Earlier = minor, minor == "1.30"
	if m.RestoresClass {
		path := resources + "/deviceclasses/" + c.lastClass
		c.objects[path] = object{"metadata": object{"name": c.lastClass, "uid": c.lastClass}, "spec": object{}}
		c.store(path)
	}
	for _, path := range c.all("resourceclaims") {
		claim := c.objects[path]
		if !c.isClassic() && !m.KeepsFields {
			delete(at(claim, "spec"), "controller")
			delete(at(claim, "status"), "deallocationRequested")
			delete(at(claim, "status", "allocation"), "controller")
		}
		if m.LosesAllocations {
			delete(at(claim, "status"), "allocation")
		}
		if m.LosesObjects {
			delete(c.objects, path)
		}
	}
}

// deviceOn returns a device that a ResourceSlice publishes on a node, and that no claim has.
// The pool is that of its slice. It reports false if there is none.
func (c *Cluster) deviceOn(node string) (device object, found bool) {
	used := map[string]bool{}
	for _, path := range c.all("resourceclaims") {
		if !c.mistakes.Upgrade.ForgetsDevices {
			used[poolOf(at(c.objects[path], "status", "allocation"))] = true
		}
	}
	for _, path := range c.all("resourceslices") {
		spec := at(c.objects[path], "spec")
		for _, published := range list(spec, "devices") {
			name, pool := text(published.(object), "name"), text(spec, "pool", "name")
			if text(spec, "nodeName") == node && !used[pool+"/"+name] {
				return object{"request": "device", "driver": spec["driver"], "pool": pool, "device": name}, true
			}
		}
	}
	return nil, false
}

// allocateStructured lets the scheduler allocate a claim on a node.
func (c *Cluster) allocateStructured(path string, claim object, node string) {
	allocation := object{"nodeSelector": nodesWith(object{"kubernetes.io/hostname": node})}
	if device, found := c.deviceOn(node); found {
		allocation["devices"] = object{"results": []any{device}}
	}
	setStatus(claim, object{"allocation": allocation})
	c.structured[path] = true
}

// freeStructured frees a claim that no pod uses any more if the scheduler has allocated it.
func (c *Cluster) freeStructured(path string, claim object) {
	if m := c.mistakes.Upgrade; c.structured[path] && !m.KeepsUnused || !c.isClassic() && m.FreesAll {
		delete(at(claim, "status"), "allocation")
	}
}

// keysOf returns the paths of a list of objects, or of those of all namespaces.
func (c *Cluster) keysOf(path string) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(c.objects)) {
		rest, ok := strings.CutPrefix(key, path+"/")
		everywhere := path == resources+"/"+kindOf(path) && kindOf(parent(key)) == kindOf(path) && strings.HasPrefix(key, resources)
		if ok && !strings.Contains(rest, "/") || everywhere {
			keys = append(keys, key)
		}
	}
	return keys
}
