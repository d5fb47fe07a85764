package fakecluster

import (
	"time"

	resourceapi "k8s.io/api/resource/v1"
)

// Mistakes are what a cluster can do wrong. Each is the mistake of one part.
type Mistakes struct {
	// The scheduler's.

	// IgnoresCounters: it does not look at what devices consume.
	IgnoresCounters bool
	// SpreadsParents: it ignores matchAttribute and takes each device from
	// another parent, if it can.
	SpreadsParents bool
	// IgnoresSelectors: it takes any device of the class.
	IgnoresSelectors bool
	// ForgetsRequests: it gives equal requests of a claim the same device.
	ForgetsRequests bool
	// ForgetsClaims: it does not see what other claims hold.
	ForgetsClaims bool
	// SkipsRequests: it allocates for a claim's first request alone.
	SkipsRequests bool
	// InventsDevices: it allocates a device that no slice has.
	InventsDevices bool
	// KeepsCounters: what a claim held is not returned when it goes.
	KeepsCounters bool
	// GivesInAfter: so long after it refused a pod it ignores counters.
	GivesInAfter time.Duration
	// RefusesAll: it finds that nothing fits.
	RefusesAll bool
	// NeverReports: it does not say that a pod does not fit.
	NeverReports bool
	// BindsFirst: it binds a pod whose claim could not be reserved.
	BindsFirst bool
	// ReleasesEarly: a claim loses its devices with the first of its pods.
	ReleasesEarly bool

	// The scheduler's, with alternatives.

	// PrefersLast: it tries the last alternative first.
	PrefersLast bool
	// SortsAlternatives: it tries them in the order of their names.
	SortsAlternatives bool
	// NeverFallsBack: it tries the first alternative alone.
	NeverFallsBack bool
	// IgnoresCounts: one device is enough for an alternative.
	IgnoresCounts bool
	// NamesRequests: results name the request and no alternative.
	NamesRequests bool
	// NamesFirst: results name the first alternative, whichever was taken.
	NamesFirst bool
	// ConstrainsRequestsOnly: a constraint that names a request does not hold
	// for its alternatives.
	ConstrainsRequestsOnly bool
	// ConstrainsNoAlternative: a constraint that names an alternative does not
	// hold for it.
	ConstrainsNoAlternative bool
	// ConstrainsAllAlternatives: a constraint that names an alternative holds
	// for the others too.
	ConstrainsAllAlternatives bool
	// PrefersLater: later requests of a claim choose first.
	PrefersLater bool
	// NeverYields: a request keeps the first alternative that has devices,
	// although a later request has none then.
	NeverYields bool
	// SumsRanks: it looks for alternatives whose places in their lists have the
	// smallest sum, whichever requests they are of.
	SumsRanks bool
	// LosesScopedConfig: configuration for an alternative is lost.
	LosesScopedConfig bool
	// LosesClassConfig: configuration of classes is lost.
	LosesClassConfig bool
	// KeepsAllConfig: configuration for alternatives that were not taken, by
	// the claim or by their class, is kept.
	KeepsAllConfig bool
	// WidensConfig: configuration is for all requests, whichever it names.
	WidensConfig bool

	// Misreads changes what the scheduler sees when it decides about a pod for
	// simulated nodes.
	Misreads func(*Scene)
	// Miswrites changes what the scheduler has decided for the claims of such a
	// pod.
	Miswrites func(*Scene, []resourceapi.AllocationResult)

	// The driver's and the kubelet's.

	// ShowsAnother: the container sees another device than the last that was
	// allocated.
	ShowsAnother bool
	// ShowsTooFew: the last device is missing in the container.
	ShowsTooFew bool
	// ShowsTooMany: the container sees a device more.
	ShowsTooMany bool
	// ShowsSamePart: every container of a multi-host device sees what its
	// first node has.
	ShowsSamePart bool
	// ShowsNonsense: the container cannot read its devices.
	ShowsNonsense bool
	// NeverStarts: a pod that has a node stays pending.
	NeverStarts bool
	// EndsPods: containers end at once.
	EndsPods bool
	// BreaksContainers: a driver describes devices with which no container starts.
	BreaksContainers bool
	// NeverStops: a deleted pod stays.
	NeverStops bool

	// NeverRetries: a kubelet does not ask again what failed for a pod.
	NeverRetries bool
	// IgnoresClaimErrors: a kubelet does not read what an answer says of a claim.
	IgnoresClaimErrors bool
	// IgnoresOmitted: a kubelet does not miss a claim in an answer.
	IgnoresOmitted bool
	// LetsGo: a kubelet lets pods go whose claims could not be given back.
	LetsGo bool
	// NeverAsks: a kubelet never has claims given back.
	NeverAsks bool
	// UnpreparesEarly: a kubelet gives a claim back with the first of its pods.
	UnpreparesEarly bool
	// ForgetsForced: a kubelet gives nothing back for pods that were deleted by
	// force.
	ForgetsForced bool
	// HidesFromInit: init containers do not see devices.
	HidesFromInit bool
	// ShowsAll: containers see devices of claims that they do not use.
	ShowsAll bool
	// ShowsAllRequests: containers that name a request see all of their claim.
	ShowsAllRequests bool
	// ShowsNoAlternatives: containers that name a request with alternatives see
	// nothing of it.
	ShowsNoAlternatives bool
	// RestartHides: a container that is started again does not see devices.
	RestartHides bool

	// StartsWithoutDriver: a kubelet starts pods although a driver is not there.
	StartsWithoutDriver bool
	// IgnoresReservations: a kubelet starts pods whose claims are not reserved for
	// them.
	IgnoresReservations bool
	// IgnoresReservedFor: a kubelet starts pods whose claims are allocated, for
	// whomever they are reserved.
	IgnoresReservedFor bool
	// UnpreparesForAny: a kubelet gives back what a pod lists that was never started.
	UnpreparesForAny bool
	// MixesUpClaims: a kubelet takes a claim for an older one of the same name.
	MixesUpClaims bool
	// StartsUnprepared: a kubelet starts pods although a driver refuses to prepare
	// their claims.
	StartsUnprepared bool
	// NamesNoDriver: a kubelet does not say which driver is not there.
	NamesNoDriver bool
	// KeepsSlices: a kubelet leaves the slices of drivers that have left.
	KeepsSlices bool
	// NeverRepublishes: a driver that comes back publishes nothing.
	NeverRepublishes bool

	// RestartEndsPods: with the driver or the kubelet, containers end too.
	RestartEndsPods bool
	// RestartEndsPodsLater: a kubelet that has started anew ends what runs when it
	// has something to start.
	RestartEndsPodsLater bool
	// RestartMoves: when a node starts anew, its claims get other devices.
	RestartMoves bool
	// RestartForgets: a driver's next process does not know what the one
	// before had prepared.
	RestartForgets bool
	// NeverReturns: a driver or kubelet that ended does not come back.
	NeverReturns bool
	// NeverUnprepares: a driver keeps claims prepared that are gone.
	NeverUnprepares bool
	// LeavesFiles: a driver leaves the CDI files of what was given back.
	LeavesFiles bool
	// AdmitsAll: a driver prepares claims whatever values they state.
	AdmitsAll bool
	// AdmitsContradictions: a driver does not compare what a claim states with what
	// the claim tells it besides.
	AdmitsContradictions bool
	// KeepsValues: a driver keeps others from devices after their claims are gone.
	KeepsValues bool
	// PreparesOnce: a driver refuses to prepare what it has prepared.
	PreparesOnce bool
	// PreparesOthersAgain: a driver answers with other CDI devices when it is asked
	// for a claim again.
	PreparesOthersAgain bool
	// UnpreparesAll: a driver gives back all claims when it is asked for one.
	UnpreparesAll bool
	// UnpreparesOnce: a driver refuses to unprepare what is not prepared.
	UnpreparesOnce bool

	// The control plane's.

	// MakesNoClaims: no claims are made from templates.
	MakesNoClaims bool
	// KeepsNamespaces: a deleted namespace stays.
	KeepsNamespaces bool
	// StoresAnyStatus: claims have the status of devices that they were not allocated.
	StoresAnyStatus bool
	// MixesUpShares: of the shares that a claim has of a device, the status of one is
	// that of the others.
	MixesUpShares bool
	// ChargesFirst: quotas count the first alternative alone.
	ChargesFirst bool
	// Misstores changes what would be stored of an object, as a dry run shows it.
	Misstores func(object map[string]any)
}
