// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/internal/rules"
)

// observation contains the objects of one view that allocations are checked against.
// Unchanged objects are shared with the previous view.
type observation struct {
	// outdated is the start time of a view that begins after the next view was
	// made. It is zero as long as there is none.
	outdated  time.Time
	slices    map[string]*resourceapi.ResourceSlice
	inventory *Inventory
	setting   *setting
	// seamless states that all states of the slices since the last view are
	// known.
	seamless bool
	// seamlessNodes states the same for the labels of the nodes.
	seamlessNodes bool
	// unclear are pools and classes that may have had other states between the
	// previous view and this one. unknownPools stands for pools without slices in
	// both.
	unclear map[string]bool
}

// setting contains the classes, nodes and DeviceTaintRules of a view.
type setting struct {
	classes    map[string]resourceapi.DeviceClass
	nodes      []corev1.Node
	taintRules map[string]resourceapi.DeviceTaintRule
}

// addView adds a view. It drops the views that new allocations cannot be based
// on: those that were outdated at least Lag before the last view began.
func (a *Auditor) addView(v View) {
	for i := range len(a.observations) - 1 {
		if a.observations[i].outdated.IsZero() {
			a.observations[i].outdated = v.At
		}
	}
	// The newest one is never outdated.
	for len(a.observations) > 0 && !a.observations[0].outdated.IsZero() && a.last.At.Sub(a.observations[0].outdated) >= a.config.Lag {
		a.observations = a.observations[1:]
	}
	a.addStates(v)
}

// addLateStates adds the states that were not known when the last view was added,
// before the state at its end.
func (a *Auditor) addLateStates(v View) {
	a.observations = a.observations[:len(a.observations)-1]
	a.addStates(v)
}

// addStates adds the states between the last view and the given one, and the state at
// its end.
func (a *Auditor) addStates(v View) {
	objects := setting{map[string]resourceapi.DeviceClass{}, nil, map[string]resourceapi.DeviceTaintRule{}}
	for _, rule := range v.TaintRules {
		objects.taintRules[rule.Name] = rule
	}
	for _, class := range v.Classes {
		objects.classes[class.Name] = class
	}
	with := func(nodes []corev1.Node) *setting {
		return &setting{objects.classes, nodes, objects.taintRules}
	}
	// Which states of slices and nodes existed at the same time does not matter:
	// snapshots combines all of them.
	for _, nodes := range v.Labelled {
		a.add(v, a.last.Slices, with(valuesOf(nodes)))
	}
	for _, offered := range v.Offered {
		a.add(v, valuesOf(offered), with(v.Nodes))
	}
	a.add(v, v.Slices, with(v.Nodes))
}

func (a *Auditor) add(v View, offered []resourceapi.ResourceSlice, objects *setting) {
	next := observation{slices: map[string]*resourceapi.ResourceSlice{}, setting: objects, seamless: v.Seamless, seamlessNodes: v.SeamlessNodes, unclear: map[string]bool{}}
	for i := range offered {
		next.slices[offered[i].Name] = &offered[i]
	}
	next.follow(a.observations)
	if next.inventory == nil {
		next.inventory = NewInventory(offered)
	}
	if a.first == nil {
		a.first = next.inventory
	}
	a.observations = append(a.observations, next)
}

// follow compares a view with the last one.
func (l *observation) follow(earlier []observation) {
	if len(earlier) == 0 {
		return
	}
	before := earlier[len(earlier)-1]
	if !l.seamless {
		l.unclear[unknownPools] = true
	}
	changed := map[string]bool{} // pools
	for name, s := range union(before.slices, l.slices) {
		changes, missed := compareSlices(before.slices[name], l.slices[name])
		if !changes {
			continue
		}
		// The order of two changes is unknown.
		pool := poolOf(s).String()
		if missed || changed[pool] {
			l.unclear[pool] = true
		}
		changed[pool] = true
	}
	if len(changed) == 0 {
		l.slices, l.inventory = before.slices, before.inventory
	}
	l.followSetting(before.setting)
}

// compareSlices reports whether a slice changed in a way that allocations
// depend on, and whether it may have had another state in between. A slice that
// does not exist is nil.
func compareSlices(before, after *resourceapi.ResourceSlice) (changes, missed bool) {
	if before == nil {
		return true, after.Generation > 1
	}
	if after == nil {
		return true, false
	}
	if isSameState(before, after) {
		return false, false
	}
	changes = !equality.Semantic.DeepEqual(before.Spec, after.Spec) || before.Annotations[rules.AffinityAnnotation] != after.Annotations[rules.AffinityAnnotation]
	missed = before.UID != after.UID || after.Generation > before.Generation+1
	return changes || missed, missed
}

// isSameState reports whether two slices are the same state of a slice by their
// resource versions, which fake clients do not set.
func isSameState(a, b *resourceapi.ResourceSlice) bool {
	return a.UID == b.UID && a.ResourceVersion != "" && a.ResourceVersion == b.ResourceVersion
}

func (l *observation) followSetting(before *setting) {
	now := l.setting
	sameClasses := follow(before.classes, now.classes, l.unclear, classNamed, func(c resourceapi.DeviceClass) (metav1.ObjectMeta, any) { return c.ObjectMeta, c.Spec })
	sameRules := follow(before.taintRules, now.taintRules, l.unclear, ruleNamed, func(r resourceapi.DeviceTaintRule) (metav1.ObjectMeta, any) { return r.ObjectMeta, r.Spec })
	if sameClasses && sameRules && slices.EqualFunc(before.nodes, now.nodes, sameNode) {
		l.setting = before
	}
}

// follow reports whether objects, by their names, are the same as before. Those that
// may have had another state in between are added to unclear. of returns the metadata
// and the spec of an object.
func follow[T any](before, now map[string]T, unclear map[string]bool, named func(string) string, of func(T) (metav1.ObjectMeta, any)) bool {
	same := len(before) == len(now)
	for name, object := range now {
		old, exists := before[name]
		oldMeta, oldSpec := of(old)
		meta, spec := of(object)
		same = same && exists && oldMeta.UID == meta.UID && oldMeta.Generation == meta.Generation && equality.Semantic.DeepEqual(oldSpec, spec)
		if exists && oldMeta.UID != meta.UID || meta.Generation > oldMeta.Generation+1 {
			unclear[named(name)] = true
		}
	}
	return same
}

// sameNode compares the fields that node selectors use. Lists of nodes are
// sorted by name.
func sameNode(a, b corev1.Node) bool { return a.Name == b.Name && maps.Equal(a.Labels, b.Labels) }

func union[K comparable, V any](a, b map[K]V) map[K]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// checkAdminNamespaces returns new claims with admin access in namespaces that lacked the
// required label both in the last view and in this one, and were not updated in between: they
// may have had the label then.
func (a *Auditor) checkAdminNamespaces(v View) []finding {
	var found []finding
	for i := range v.Claims {
		c := &v.Claims[i]
		known := slices.ContainsFunc(a.last.Claims, func(old resourceapi.ResourceClaim) bool { return old.UID == c.UID })
		for name, request := range requestsOf(c) {
			if known || !request.AdminAccess || !keptLacking(namespaceNamed(a.last.Namespaces, c.Namespace), namespaceNamed(v.Namespaces, c.Namespace)) {
				continue
			}
			found = append(found, finding{
				rule: AdminNamespace, about: name,
				text: "request " + name + " asks for admin access in namespace " + c.Namespace + ", which lacks the label",
			}.of(c))
		}
	}
	return found
}

// keptLacking reports whether two states of a namespace are the same one, without the label for
// admin access.
func keptLacking(before, now *corev1.Namespace) bool {
	return before != nil && now != nil && before.ResourceVersion == now.ResourceVersion && !hasLabel(before.ObjectMeta) && !hasLabel(now.ObjectMeta)
}

// namespaceNamed returns the namespace with a name, or nil.
func namespaceNamed(all []corev1.Namespace, name string) *corev1.Namespace {
	i := slices.IndexFunc(all, func(n corev1.Namespace) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// hasLabel reports whether a namespace has the label. Kubernetes 1.33 used another label key.
func hasLabel(o metav1.ObjectMeta) bool {
	return o.Labels[resourceapi.DRAAdminNamespaceLabelKey] == "true" || o.Labels["resource.k8s.io/admin-access"] == "true"
}
