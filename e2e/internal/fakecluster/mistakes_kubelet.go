// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// KubeletMistakes are the faults of all kubelets of a cluster.
type KubeletMistakes struct {
	// MisstatesHealth changes the health of devices in the status of pods.
	MisstatesHealth func([]corev1.ResourceStatus) []corev1.ResourceStatus
	// KeepsHealth: a kubelet does not change the health of devices in the status
	// of a pod.
	KeepsHealth bool
	// KubeletForgetsUnpreparing: a restarted kubelet has forgotten the claims that drivers were
	// called to unprepare.
	KubeletForgetsUnpreparing bool
	// RemovesReturnedSlices: a kubelet removes the ResourceSlices of a driver that was restarted, a
	// while after the driver is back.
	RemovesReturnedSlices bool
	// KeepsUnreported: a kubelet keeps the last health of a device that its driver does not
	// report any more.
	KeepsUnreported bool
	// KeepsHealthOfAbsent: a kubelet keeps what a driver that has stopped has reported last.
	KeepsHealthOfAbsent bool
	// WatchesHealthOnce: after a restart of the kubelet or of the driver, a kubelet
	// does not change the health of devices in the status of a pod.
	WatchesHealthOnce bool
	// ReportsHealthOfClaim: a kubelet reports all devices of a claim in the status of
	// a container that uses one request of it.
	ReportsHealthOfClaim bool
	// CallsForSkipped: a kubelet calls drivers although all devices of a claim skip it.
	CallsForSkipped bool
	// SkipsForOne: a kubelet does not call a driver for a claim if one of its devices
	// skips it.
	SkipsForOne bool
	// KnowsNoNames: a kubelet skips operations only if a device skips all of them.
	KnowsNoNames bool
	// SkipsForAny: a kubelet skips all operations if a device skips one of them.
	SkipsForAny bool
	// StopsAtSkipped: a kubelet does not call drivers for the claims of a pod after one for
	// which it need not call any.
	StopsAtSkipped bool
	// Mislimits changes the amounts that a kubelet adds to the limits of a container, for the
	// claims that have resources of the node.
	Mislimits func(added corev1.ResourceList)
	// LosesNodeResources: a kubelet removes the resources of claims from the status of a pod
	// that it starts.
	LosesNodeResources bool
	// RefusesEmptyClaims: a kubelet does not start pods with claims for which no devices are
	// allocated.
	RefusesEmptyClaims bool
	// NeverStarts: a pod that is bound to a node stays pending.
	NeverStarts bool
	// NeverStops: a deleted pod is not removed.
	NeverStops bool
	// NeverRetries: a kubelet does not retry a failed preparation of a pod.
	NeverRetries bool
	// RetriesChangedPods: a kubelet that failed to prepare or unprepare the claims
	// of a pod tries again only when the pod is updated.
	RetriesChangedPods bool
	// CallsSeparately: a kubelet calls the driver for each claim of a pod.
	CallsSeparately bool
	// CallsAllDrivers: a kubelet calls all drivers for all claims of a pod.
	CallsAllDrivers bool
	// CallsForNeighbours: a kubelet that has the driver prepare the claims of a pod
	// names all claims that it has prepared before.
	CallsForNeighbours bool
	// Miscalls changes a claim in a call of a kubelet.
	Miscalls func(*calls.Claim)
	// StartsInitUnprepared: a kubelet starts init containers before it has the
	// driver prepare the claims.
	StartsInitUnprepared bool
	// UnpreparesRunning: a kubelet has the driver unprepare the claims of a
	// deleted pod while its containers run.
	UnpreparesRunning bool
	// IgnoresClaimErrors: a kubelet ignores the errors of single claims in a
	// response.
	IgnoresClaimErrors bool
	// IgnoresLaterClaims: a kubelet ignores the errors of claims, and that they are
	// missing, if the first claim of the response is none of them.
	IgnoresLaterClaims bool
	// IgnoresOtherDrivers reports whether a kubelet ignores that a driver failed in calls of a
	// method for a claim whose first device is that of another driver.
	IgnoresOtherDrivers func(method string) bool
	// ForgetsFailed: a kubelet does not have the driver unprepare claims that the driver
	// has failed to prepare.
	ForgetsFailed bool
	// IgnoresOmitted: a kubelet ignores that a claim is missing in a response.
	IgnoresOmitted bool
	// NeedsCDIDevices: a kubelet does not start pods if a driver returns a device
	// without CDI devices.
	NeedsCDIDevices bool
	// LetsGo: a kubelet terminates pods whose claims could not be unprepared.
	LetsGo bool
	// NeverAsks: a kubelet never requests that claims are unprepared.
	NeverAsks bool
	// UnpreparesEarly: a kubelet unprepares a claim when the first of its pods
	// is removed.
	UnpreparesEarly bool
	// ForgetsForced: a kubelet does not unprepare the claims of force-deleted
	// pods.
	ForgetsForced bool
	// StartsWithoutDriver: a kubelet starts pods although the driver is not
	// registered.
	StartsWithoutDriver bool
	// IgnoresReservations: a kubelet starts pods whose claims are not reserved
	// for them.
	IgnoresReservations bool
	// IgnoresReservedFor: a kubelet starts pods with allocated claims even if
	// the claims are reserved only for other pods.
	IgnoresReservedFor bool
	// UnpreparesForAny: a kubelet unprepares the claims of a pod that was never
	// started.
	UnpreparesForAny bool
	// MixesUpNamespaces: a kubelet takes a claim for prepared, with the devices of that one, if
	// one of its name in another namespace is prepared.
	MixesUpNamespaces bool
	// KeepsDevices: a kubelet gives containers the devices that a claim had when it was first
	// prepared.
	KeepsDevices bool
	// TellsFirstUser: a kubelet does not change the health of devices in the status of a pod if
	// another pod uses their claim, too.
	TellsFirstUser bool
	// ForgetsExtended: a kubelet does not unprepare the claims for the extended resources of
	// pods.
	ForgetsExtended bool
	// ListsNoSidecars: a kubelet does not list init containers that keep running.
	ListsNoSidecars bool
	// RestartListsNothing: a restarted kubelet lists no devices of pods that it found.
	RestartListsNothing bool
	// MixesUpClaims: a kubelet does not distinguish a claim from an older claim
	// of the same name.
	MixesUpClaims bool
	// StartsUnprepared: a kubelet starts pods although the driver fails to
	// prepare their claims.
	StartsUnprepared bool
	// KeepsSlices: a kubelet does not remove the ResourceSlices of unregistered
	// drivers.
	KeepsSlices bool
	// RemovesOtherSlices reports whether a kubelet also removes a ResourceSlice together with
	// those of an unregistered driver of its node.
	RemovesOtherSlices func(slice *resourceapi.ResourceSlice, node string) bool
	// RestartEndsPods: a restart of the driver or the kubelet also restarts the
	// containers.
	RestartEndsPods bool
	// RestartEndsPodsLater: a restarted kubelet restarts running containers
	// when it starts the next pod.
	RestartEndsPodsLater bool
	// KubeletForgets: a restarted kubelet does not know which claims it had
	// prepared.
	KubeletForgets bool
	// KubeletForgetsLater: the same for all but the first claim of each pod.
	KubeletForgetsLater bool
	// KubeletForgetsGone: a restarted kubelet does not unprepare the claims of pods that were
	// removed while no kubelet ran.
	KubeletForgetsGone bool
	// KubeletStoresPrepared: a kubelet stores a claim when the driver has prepared it, so that a
	// restarted one does not know those whose preparation it does not know to have succeeded.
	KubeletStoresPrepared bool
	// KubeletForgetsPods: a restarted kubelet knows only one of the pods that use a claim.
	KubeletForgetsPods bool
	// KubeletLosesDevices: a restarted kubelet starts containers of pods that it found without
	// their devices.
	KubeletLosesDevices bool
	// KeepsFailedPods: a kubelet does not unprepare the claims of a pod that has failed.
	KeepsFailedPods bool
	// UnpreparesCompleted: a kubelet unprepares the claims of a completed pod, also those
	// that other pods use.
	UnpreparesCompleted bool
	// KeepsUsedElsewhere: a kubelet does not unprepare a claim that a pod of another node
	// uses.
	KeepsUsedElsewhere bool
	// IgnoresLaterUnprepares: a kubelet ignores that the driver failed to unprepare a claim
	// of a call that is not the first one.
	IgnoresLaterUnprepares bool
	// ComparesUserNames: a kubelet starts pods whose claims are reserved for another pod of
	// this name.
	ComparesUserNames bool
	// ListsFirstUser: a kubelet lists a claim of several pods for one of them only.
	ListsFirstUser bool
	// KeepsCompleted: a kubelet does not unprepare the claims of a completed pod.
	KeepsCompleted bool
	// MislistsPods changes what a kubelet lists of a pod.
	MislistsPods func(*api.PodResources)
	// MisreturnsPods changes what a kubelet returns of a single pod.
	MisreturnsPods func(*api.PodResources)
	// RepeatsDevices: a kubelet adds the devices of each response to those of earlier ones.
	RepeatsDevices bool
	// PreparesUsedOnly: a kubelet does not prepare claims that no container references.
	PreparesUsedOnly bool
	// StopsAtPrepared: a kubelet does not prepare the claims of a pod if one of them is
	// prepared already.
	StopsAtPrepared bool
	// UsesUnpreparing: a kubelet starts pods whose claims are prepared, also while drivers
	// unprepare these claims.
	UsesUnpreparing bool
	// KeepsCheckpoint: a kubelet does not remove claims from its checkpoint.
	KeepsCheckpoint bool
}

func (m KubeletMistakes) addTo(all *Mistakes) { all.KubeletMistakes = m }
