package specs

import (
	"context"
	"maps"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// kind is a kind of devices of which the same is promised as of the others.
type kind struct {
	subject.Kind
	// what the sentences of specs call it.
	what     string
	features []features.Feature
	// pods is how many pods use one device, each on another node.
	pods   int
	device func(subject.Subject) subject.Device
}

// kinds are all kinds of devices.
var kinds = []kind{
	{
		Kind: subject.KindExclusive, what: "a device of its own", pods: 1,
		features: []features.Feature{features.Core},
		device:   func(s subject.Subject) subject.Device { return s.Exclusive.Device },
	},
	{
		Kind: subject.KindMultiHost, what: "a multi-host device", pods: 2,
		features: []features.Feature{features.Core, features.Partitions},
		device:   func(s subject.Subject) subject.Device { return s.MultiHost.Pair },
	},
	{
		Kind: subject.KindShared, what: "a share of a device", pods: 1,
		features: []features.Feature{features.Core, features.SharedDevices},
		device:   func(s subject.Subject) subject.Device { return s.Shared.Share },
	},
}

// proofs are the requirements that the specs of some kinds prove.
type proofs map[subject.Kind][]string

// ofAllKinds are requirements that the specs of each kind prove.
func ofAllKinds(requirements ...string) proofs {
	p := proofs{}
	for _, k := range kinds {
		p[k.Kind] = requirements
	}
	return p
}

// and adds what the specs of some kinds prove beside.
func (p proofs) and(more proofs) proofs {
	all := maps.Clone(p)
	for kind, requirements := range more {
		all[kind] = slices.Concat(all[kind], requirements)
	}
	return all
}

// forEachKind makes a spec for each kind of devices; its id begins with the
// kind's name. The sentence says what is true of "it", the device.
func forEachKind(id, sentence string, proved proofs, needs []suite.Need, body func(ctx context.Context, e *suite.Env, k kind)) []suite.Spec {
	var specs []suite.Spec
	for _, k := range kinds {
		specs = append(specs, suite.Spec{
			ID:           string(k.Kind) + "-" + id,
			Sentence:     "A pod with " + k.what + " " + sentence,
			Profile:      driver,
			Features:     k.features,
			Judges:       suite.JudgesDriver,
			Kinds:        []subject.Kind{k.Kind},
			Nodes:        k.pods,
			Needs:        needs,
			Requirements: proved[k.Kind],
			Body:         func(ctx context.Context, e *suite.Env) { body(ctx, e, k) },
		})
	}
	return specs
}

// users are pods that use one device.
type users struct {
	kind
	claim string
	pods  []string
	// containers are those of the pods, in their order.
	containers []suite.Container
	device     subject.Device
	allocated  resourceapi.DeviceAllocationResult
}

// start lets as many pods as a kind wants use a device, the first of them on a
// node, if one is given, and waits until they run.
func (k kind) start(ctx context.Context, e *suite.Env, claim string, options suite.PodOptions) users {
	u := users{kind: k, claim: claim, device: k.device(e.Subject)}
	u.pods = e.StartUsers(ctx, claim, u.device, k.pods, options)
	for _, pod := range u.pods {
		e.Runs(ctx, pod)
		u.containers = append(u.containers, e.Container(ctx, pod))
	}
	u.allocated = e.Allocation(ctx, claim)
	return u
}

// node is the one that specs disturb.
func (u users) node() string { return u.containers[0].Node }

// keptRunning asserts that nothing happened to the pods.
func (u users) keptRunning(ctx context.Context, e *suite.Env, despite string) {
	for _, container := range u.containers {
		e.KeptRunning(ctx, container, despite)
	}
	u.keptDevices(ctx, e, despite)
}

// keptDevices asserts that the claim still has what it was allocated.
func (u users) keptDevices(ctx context.Context, e *suite.Env, despite string) {
	gomega.Expect(e.Allocation(ctx, u.claim)).To(gomega.Equal(u.allocated), "claim %s should keep its devices despite %s", u.claim, despite)
}

// areJoined lets another pod of the node use the claim too, for which the kubelet
// may ask the driver again, and asserts that the driver's answer is what it was.
// Beside pods that must be apart from each other is one without a claim.
func (u *users) areJoined(ctx context.Context, e *suite.Env) {
	if len(u.pods) > 1 {
		const pod = "beside"
		e.Join(ctx, pod, suite.PodOptions{Node: u.node()})
		e.Runs(ctx, pod)
		return
	}
	const pod = "joined"
	e.Join(ctx, pod, suite.PodOptions{Node: u.node()}, u.claim)
	u.pods = append(u.pods, pod)
	e.Runs(ctx, pod)
	e.AnsweredAlike(ctx, u.device.Driver, u.node(), u.claim, 1)
}

// areReplaced asserts that the device is given back, and that other pods, one of
// them on the same node, can have one.
func (u users) areReplaced(ctx context.Context, e *suite.Env) {
	e.Removed(ctx, u.claim, u.pods...)
	for _, container := range u.containers {
		e.Prepared(ctx, u.device.Driver, container.Node, u.claim, false)
	}
	after := u.start(ctx, e, "after", suite.PodOptions{Node: u.node()})
	e.Removed(ctx, after.claim, after.pods...)
}
