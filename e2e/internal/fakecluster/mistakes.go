// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/draconform/draconform/e2e/nodeagent/api"
	"github.com/draconform/draconform/fakedriver/calls"
)

// Mistakes are the faults of a fake cluster. Each is a fault of one component.
type Mistakes struct {
	// Faults of the scheduler.

	// IgnoresCounters: the scheduler ignores the counters that devices consume.
	IgnoresCounters bool
	// SpreadsParents: the scheduler ignores matchAttribute and, if possible,
	// allocates the first two requests from different parent devices.
	SpreadsParents bool
	// IgnoresSelectors: the scheduler ignores the selectors of requests.
	IgnoresSelectors bool
	// ForgetsRequests: the scheduler allocates the same device for equal
	// requests that follow each other.
	ForgetsRequests bool
	// ForgetsClaims: the scheduler ignores the devices of other claims.
	ForgetsClaims bool
	// SkipsRequests: the scheduler allocates only the first request of a claim.
	SkipsRequests bool
	// InventsDevices: the scheduler allocates a device that is in no
	// ResourceSlice.
	InventsDevices bool
	// KeepsCounters: the scheduler treats deallocated and deleted claims as
	// allocated.
	KeepsCounters bool
	// GivesInAfter: the scheduler ignores counters for a pod that has been
	// unschedulable for this long.
	GivesInAfter time.Duration
	// RefusesAll: the scheduler finds every pod unschedulable.
	RefusesAll bool
	// NeverReports: the scheduler does not report unschedulable pods.
	NeverReports bool
	// BindsFirst: the scheduler binds a pod whose claim could not be reserved.
	BindsFirst bool
	// KeepsReservations: the claims of a pod that the scheduler could not bind stay
	// reserved for it.
	KeepsReservations bool
	// KeepsExtendedClaims: the scheduler does not delete the claim for the extended
	// resources of a pod that it could not bind.
	KeepsExtendedClaims bool
	// AddsNoFinalizers: the scheduler adds no finalizer to the claims that it
	// allocates, so that they are removed when they are deleted.
	AddsNoFinalizers bool
	// NeverPreempts: the scheduler evicts no pods for others of a higher priority.
	NeverPreempts bool
	// PreemptsInVain: the scheduler evicts pods from a node for others without
	// regard to whether their claims can be allocated there.
	PreemptsInVain bool
	// IgnoresDeclaredFeatures: the scheduler does not look at the features of a node
	// for claims that are allocated.
	IgnoresDeclaredFeatures bool
	// ReservesForPods: the scheduler reserves the claims of PodGroups for pods.
	ReservesForPods bool
	// ComparesEntryNamesOnly: an entry of a pod is for a claim of its PodGroup if
	// both have the same name.
	ComparesEntryNamesOnly bool
	// IgnoresGates: the scheduler schedules pods that have scheduling gates.
	IgnoresGates bool
	// Overlooks is a resource whose changes do not make the scheduler try pods
	// again that it found unschedulable.
	Overlooks string
	// MaxConsumers is the number of pods for which the scheduler reserves a claim.
	// Zero means the limit of the API.
	MaxConsumers int
	// KeepsUnusable: the scheduler does not deallocate unused claims because of
	// which a pod is unschedulable.
	KeepsUnusable bool
	// MovesUsed: the scheduler deallocates such claims even if other pods use them.
	MovesUsed bool
	// ReleasesEarly: a claim is deallocated when the first of its pods is
	// removed.
	ReleasesEarly bool

	// Faults of the scheduler with prioritized lists.

	// PrefersLast: the scheduler tries the last subrequest first.
	PrefersLast bool
	// SortsAlternatives: the scheduler tries the subrequests in alphabetical
	// order.
	SortsAlternatives bool
	// NeverFallsBack: the scheduler tries only the first subrequest.
	NeverFallsBack bool
	// IgnoresCounts: the scheduler allocates one device for a subrequest
	// whatever its count is.
	IgnoresCounts bool
	// NamesRequests: allocation results name the request without the
	// subrequest.
	NamesRequests bool
	// NamesFirst: allocation results always name the first subrequest.
	NamesFirst bool
	// ConstrainsRequestsOnly: a constraint that names a request does not apply
	// to its subrequests.
	ConstrainsRequestsOnly bool
	// ConstrainsNoAlternative: a constraint that names a subrequest does not
	// apply to it.
	ConstrainsNoAlternative bool
	// ConstrainsAllAlternatives: a constraint that names a subrequest applies
	// to all subrequests of the request.
	ConstrainsAllAlternatives bool
	// PrefersLater: later requests of a claim choose first.
	PrefersLater bool
	// NeverYields: a request keeps the first subrequest that has devices, even
	// if a later request has none then.
	NeverYields bool
	// SumsRanks: the scheduler minimizes the sum of the positions of the chosen
	// subrequests in their lists, regardless of the order of the requests.
	SumsRanks bool
	// LosesScopedConfig: the configuration for a subrequest is lost.
	LosesScopedConfig bool
	// LosesClassConfig: the configuration of DeviceClasses is lost.
	LosesClassConfig bool
	// KeepsAllConfig: the configuration for subrequests that were not allocated
	// is kept. This covers configuration of the claim and of the DeviceClass.
	KeepsAllConfig bool
	// WidensConfig: configuration applies to all requests, whichever it names.
	WidensConfig bool

	// Faults of the scheduler with binding conditions.

	// MisreadsReadiness changes what the scheduler knows about an allocated claim
	// when it decides whether its devices are ready.
	MisreadsReadiness func(*Readiness)
	// KeepsFailed: the scheduler does not deallocate claims whose devices have
	// failed.
	KeepsFailed bool
	// WaitsAlone: the scheduler schedules no other pods while one waits for its
	// devices.
	WaitsAlone bool

	// Misreads changes the input of the scheduler. Unlike with other faults,
	// the changed claims of the pod are stored.
	Misreads func(*Scene)
	// MisrequestsExtended changes the claim that the scheduler allocates for the
	// extended resources of a pod.
	MisrequestsExtended func(*corev1.Pod, *ExtendedClaim)
	// MisrecordsExtended changes this claim, and the status of its pod, after the
	// allocation.
	MisrecordsExtended func(*corev1.Pod, *resourceapi.ResourceClaim)
	// MisreadsRules changes a DeviceTaintRule that the scheduler reads.
	MisreadsRules func(*resourceapi.DeviceTaintRule)
	// Miswrites changes the allocations that the scheduler chose for
	// Scene.Claims.
	Miswrites func(*Scene, []resourceapi.AllocationResult)

	// Faults of the driver and the kubelet.

	// ShowsAnother: the container sees another device instead of the last
	// allocated one.
	ShowsAnother bool
	// ShowsTooFew: the container does not see the last device.
	ShowsTooFew bool
	// ShowsTooMany: the container sees one device too many.
	ShowsTooMany bool
	// ShowsAtMost is the number of devices of a claim, from the first one, that a
	// container sees at most. Zero means all.
	ShowsAtMost int
	// ShowsSamePart: every container of a multi-host device sees the part of
	// the first node.
	ShowsSamePart bool
	// ShowsNonsense: the container cannot read its devices.
	ShowsNonsense bool
	// ShowsWithoutClaim: a container of a pod without a claim sees the devices
	// of all allocated claims.
	ShowsWithoutClaim bool
	// ShowsNeighbours: a container with a claim sees the devices of all
	// allocated claims.
	ShowsNeighbours bool
	// MixesUpMetadata: a container sees the device metadata files of all
	// containers of its pod.
	MixesUpMetadata bool
	// Misdescribes changes the device metadata files of a container, by path.
	Misdescribes func(map[string]*MetadataFile)
	// MisstatesHealth changes the health of devices in the status of pods.
	MisstatesHealth func([]corev1.ResourceStatus) []corev1.ResourceStatus
	// KeepsHealth: a kubelet does not change the health of devices in the status
	// of a pod.
	KeepsHealth bool
	// SpreadsHealth: a driver that should report one device as unhealthy reports
	// all of them.
	SpreadsHealth bool
	// MisstatesDevices changes the status of devices that a driver writes into
	// their claim.
	MisstatesDevices func([]resourceapi.AllocatedDeviceStatus) []resourceapi.AllocatedDeviceStatus
	// NeverStarts: a pod that is bound to a node stays pending.
	NeverStarts bool
	// EndsPods: containers terminate at once.
	EndsPods bool
	// BreaksContainers: containers fail to start with the CDI devices of the
	// driver.
	BreaksContainers bool
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
	// IgnoresOmitted: a kubelet ignores that a claim is missing in a response.
	IgnoresOmitted bool
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
	// HidesFromInit: init containers do not see devices.
	HidesFromInit bool
	// ShowsAll: containers see devices of claims that they do not use.
	ShowsAll bool
	// ShowsAllRequests: containers that name a request see all devices of the
	// claim.
	ShowsAllRequests bool
	// ShowsNoAlternatives: containers that name a request with subrequests do
	// not see its devices.
	ShowsNoAlternatives bool
	// RestartHides: a restarted container does not see devices.
	RestartHides bool

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
	// MixesUpClaims: a kubelet does not distinguish a claim from an older claim
	// of the same name.
	MixesUpClaims bool
	// StartsUnprepared: a kubelet starts pods although the driver fails to
	// prepare their claims.
	StartsUnprepared bool
	// KeepsSlices: a kubelet does not remove the ResourceSlices of unregistered
	// drivers.
	KeepsSlices bool
	// NeverRepublishes: a driver that is started again publishes no
	// ResourceSlices.
	NeverRepublishes bool

	// RestartEndsPods: a restart of the driver or the kubelet also restarts the
	// containers.
	RestartEndsPods bool
	// RestartEndsPodsLater: a restarted kubelet restarts running containers
	// when it starts the next pod.
	RestartEndsPodsLater bool
	// KubeletForgets: a restarted kubelet does not know which claims it had
	// prepared.
	KubeletForgets bool
	// RestartMoves: a restart of a node changes the devices of allocated
	// claims.
	RestartMoves bool
	// RestartRenames: a restarted driver publishes its devices with other names.
	RestartRenames bool
	// RestartLeavesSlices: a restarted driver publishes its pool with a lower
	// generation, and leaves the slices of the higher one.
	RestartLeavesSlices bool
	// PublishesTooFew: the driver publishes fewer slices of a pool than they
	// state.
	PublishesTooFew bool
	// PublishesInvalid: the driver publishes a device that consumes an unknown
	// counter.
	PublishesInvalid bool
	// PublishesUse changes a device that a driver publishes when it has prepared or
	// unprepared a claim: it states whether the device is prepared for a claim.
	PublishesUse func(device *resourceapi.Device, used bool)
	// KeepsCompleted: a kubelet does not unprepare the claims of a completed pod.
	KeepsCompleted bool
	// RestartForgets: a restarted driver does not know which claims were
	// prepared before.
	RestartForgets bool
	// RestartLosesFiles: a restarted driver removes the CDI files of prepared claims.
	RestartLosesFiles bool
	// NeverReturns: a driver or kubelet that was restarted does not come back.
	NeverReturns bool
	// NeverUnprepares: a driver keeps claims prepared that the kubelet has
	// unprepared.
	NeverUnprepares bool
	// LeavesFiles: a driver does not remove the CDI files of unprepared claims.
	LeavesFiles bool
	// LosesFiles: a driver does not write the CDI files of prepared claims again.
	LosesFiles bool
	// IgnoresFullDisk: a driver reports that it prepared a claim although its disk
	// is full.
	IgnoresFullDisk bool
	// StaysFull: a driver that has failed to prepare a claim because its disk is
	// full keeps failing when there is room.
	StaysFull bool
	// LeavesPartsOfFiles: a driver leaves the part of a CDI file that it wrote
	// before its disk was full.
	LeavesPartsOfFiles bool
	// HoldsFailed: a driver does not release the devices of an unprepared claim that
	// it failed to prepare.
	HoldsFailed bool
	// RejectsOtherDrivers: a driver fails to prepare a claim that has devices of
	// other drivers, too.
	RejectsOtherDrivers bool
	// RejectsOtherConfigs: a driver fails to prepare a claim that has parameters for
	// drivers of which it has no devices.
	RejectsOtherConfigs bool
	// IgnoresConfigs: a driver ignores the parameters from a source.
	IgnoresConfigs resourceapi.AllocationConfigSource
	// MixesUpConfigs: a driver applies all parameters of an allocation to all of its
	// devices.
	MixesUpConfigs bool
	// ConfiguresFirst: a driver applies parameters to the first device of a claim
	// only.
	ConfiguresFirst bool
	// NeedsNamedRequests: a driver applies parameters only to devices of the
	// requests or subrequests that they name.
	NeedsNamedRequests bool
	// AdmitsAll: a driver prepares claims with any affinity values.
	AdmitsAll bool
	// AdmitsContradictions: a driver does not compare the affinity values of a
	// claim with the driver's own configuration in the claim.
	AdmitsContradictions bool
	// KeepsValues: a driver keeps the affinity values of unprepared claims and
	// rejects other values.
	KeepsValues bool
	// PreparesOnce: a driver fails to prepare a claim that is already prepared.
	PreparesOnce bool
	// PreparesOthersAgain: a driver returns different CDI devices when a claim
	// is prepared again.
	PreparesOthersAgain bool
	// UnpreparesAll: a driver unprepares all claims when it is asked to
	// unprepare one.
	UnpreparesAll bool
	// UnpreparesOnce: a driver fails to unprepare a claim that is not prepared.
	UnpreparesOnce bool

	// Faults of the driver that only a node agent observes.

	// Misregisters changes the registrations of a driver.
	Misregisters func(*api.Registrations)
	// Misanswers changes the answers to calls.
	Misanswers func(*PluginCall)
	// Misreports changes the report about the health of devices.
	Misreports func(*api.HealthReport)
	// Mislists changes the CDI files of a node.
	Mislists func([]api.CDIFile) []api.CDIFile
	// MislistsPods changes what a kubelet lists of a pod.
	MislistsPods func(*api.PodResources)
	// PreparesUnallocated: a driver prepares claims that are not allocated.
	PreparesUnallocated bool
	// PreparesDeleted: a driver prepares deleted claims that it has prepared
	// before.
	PreparesDeleted bool
	// RejectsEnding: a driver fails to prepare claims that are deleted and in use.
	RejectsEnding bool
	// IgnoresUIDs: a driver prepares claims of the given name with any UID.
	IgnoresUIDs bool
	// ReturnsAllDrivers: a driver also returns the devices of other drivers.
	ReturnsAllDrivers bool
	// StaysBusy: a driver fails to prepare claims after a canceled call.
	StaysBusy bool
	// KeepsCheckpoint: a kubelet does not remove claims from its checkpoint.
	KeepsCheckpoint bool

	// Faults of the control plane.

	// MakesNoClaims: no claims are created from templates.
	MakesNoClaims bool
	// HoldsForCompleted: claims stay reserved for pods that have completed.
	HoldsForCompleted bool
	// ForgetsBound: claims are not reserved for pods that were bound to a node
	// without the scheduler.
	ForgetsBound bool
	// KeepsDeleted: kube-controller-manager does not remove its finalizer from deleted
	// claims whose pods are gone.
	KeepsDeleted bool
	// KeepsNamespaces: a deleted namespace is not removed.
	KeepsNamespaces bool
	// KeepsStatus: the status of devices remains in a claim that is deallocated.
	KeepsStatus bool
	// StoresAnyStatus: the API server stores the status of devices that are not
	// allocated to the claim.
	StoresAnyStatus bool
	// MixesUpShares: the status of one share of a device overwrites that of the
	// claim's other shares.
	MixesUpShares bool
	// ChargesFirst: quotas count only the first subrequest.
	ChargesFirst bool
	// ChargesClassesOnly: quotas for extended resources do not count claims.
	ChargesClassesOnly bool
	// ChargesExtendedTwice: quotas count extended resources that devices provide
	// for the pod and for its claim.
	ChargesExtendedTwice bool
	// ChargesNoAdmins: quotas do not count requests with admin access.
	ChargesNoAdmins bool
	// MisjudgesAdminAccess decides whether the API server accepts admin access in
	// a claim, in its status (ResourceClaimStatus) or in a template, given the value of the namespace's label, if it has it.
	MisjudgesAdminAccess func(kind, value string, labelled bool) bool
	// MisgeneratesClaims changes claims that are created from templates.
	MisgeneratesClaims func(*resourceapi.DeviceClaim)
	// Misevicts changes what the controller that evicts pods from devices knows
	// about an allocated device.
	Misevicts func(*Eviction)
	// Miscounts changes the answer to a request for the status of pools.
	Miscounts func(*resourcev1alpha3.ResourcePoolStatusRequest)
	// LosesTaintTimes: the API server does not set the time of new taints.
	LosesTaintTimes bool
	// ResetsTaintTimes: the API server sets the time of all taints in an update.
	ResetsTaintTimes bool
	// MistimesRules changes the taint of a DeviceTaintRule in an update. It has the
	// taint before the update, too.
	MistimesRules func(before resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint)
	// Misstores changes an object that is written as JSON before the API server
	// stores it, or returns it in a dry run.
	Misstores func(object map[string]any)
	// Misconverts changes an object that is written or read as JSON in a version
	// of the API.
	Misconverts func(version string, object map[string]any)
	// Misauthorizes changes what the API server knows about a change of the status
	// of a claim when it decides whether the user may make it.
	Misauthorizes func(*StatusWrite)
	// IgnoresFields: the API server ignores field selectors for the node and the
	// pool of ResourceSlices.
	IgnoresFields bool
	// Mismeasures changes the metrics of a component.
	Mismeasures func(text string) string
	// IgnoresPodGroups: no claims are created for PodGroups, but for each of their
	// pods.
	IgnoresPodGroups bool
	// MismakesGroupClaims changes claims that are created for PodGroups.
	MismakesGroupClaims func(*resourceapi.ResourceClaim)
	// FreesClaimsOfGroups: claims of PodGroups are deallocated and deleted when their
	// pods are gone.
	FreesClaimsOfGroups bool
	// GivesUpOnTemplates: no claims are created for a pod whose template did not
	// exist at the first attempt.
	GivesUpOnTemplates bool
	// MismakesClaims changes a claim that is created from a template.
	MismakesClaims func(*corev1.Pod, *resourceapi.ResourceClaim)
	// MisstatesClaims changes which claims were created from templates, in the
	// status of pods.
	MisstatesClaims func([]corev1.PodResourceClaimStatus)
	// UpdatesClaims: a claim that was created from a template changes if there is
	// another template of that name.
	UpdatesClaims bool
	// KeepsOrphans: a claim that was created for a pod is not removed with the pod.
	KeepsOrphans bool
}
