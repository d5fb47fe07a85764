// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package fakecluster is an in-memory cluster with partitionable devices for
// unit tests of specs. It consists of an API server, a scheduler, kubelets and
// a driver. They behave correctly unless a fault is configured.
package fakecluster

import (
	"fmt"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// Cluster is a fake cluster. Its components act before most API requests.
type Cluster struct {
	Options
	clientset *fake.Clientset
	tracker   *history

	mu countingMutex // held by requests and while the components act
	// settled is when the components had nothing to do.
	settled settled
	// err is the first error of the simulation.
	err error
	// changes counts the changes of each resource, so that the scheduler does
	// not evaluate the same objects twice. Updates of pods do not count, because
	// the scheduler itself updates the pods that it finds unschedulable.
	changes map[schema.GroupVersionResource]int
	// since is the time at which each component first noticed a pending action.
	since map[string]time.Time
	// uids counts the created objects.
	uids      int
	snapshots map[schema.GroupVersionResource]snapshot
	// restarts counts the restarts of each component.
	restarts map[component]int

	requests  requests
	documents documents
	counters  counters
	// membersSeen are the PodGroups that have had pods, by UID.
	membersSeen map[types.UID]bool
	// metadataLeft are the device metadata files that containers have seen, by path.
	metadataLeft map[string]*MetadataFile
	// lackedTemplate are the pods whose template did not exist when a claim should
	// have been created from it, by UID, and lackedQuota those whose claim exceeded a quota.
	lackedTemplate, lackedQuota map[types.UID]bool
	// boundSeen are the pods on nodes that the controller has looked at.
	boundSeen map[types.UID]bool
	scheduler scheduler
	evictor   evictor
	kubelets  kubelets
	// drivers are the driver pods, by node.
	drivers map[string]*Driver
	// stopped are the stopped drivers, by node.
	stopped map[string]*stoppedDriver
	// returned are the times at which drivers were restarted last, by node.
	returned map[string]time.Time
	// withdrawn is what the controller of multi-host devices knows about nodes.
	withdrawn withdrawn
	// conflicted are the objects whose last update was in conflict, with
	// [Options.LabelsObjects].
	conflicted map[string]bool
	// lists counts the lists with [Options.ChangesPools], and generations are those of pools.
	lists       atomic.Int64
	generations map[string]int64
	// rest are the ResourceSlices of which drivers have published a part.
	rest []laterSlice
}

// New starts a cluster.
func New(o Options) (*Cluster, error) {
	if o.Driver == "" {
		o.Driver = "mig.example.com"
	}
	o.Nodes, o.GPUs = max(o.Nodes, 1), max(o.GPUs, 1)
	objects, err := initialObjects(o)
	if err != nil {
		return nil, err
	}
	o.Mistakes.mispublish(objects, o.Nodes)
	// NewClientset would also maintain managed fields, which is slow and which
	// no spec reads.
	started, err := newScheduler(&o)
	if err != nil {
		return nil, err
	}
	clientset := fake.NewSimpleClientset(objects...)
	clientset.Resources = []*metav1.APIResourceList{{GroupVersion: taintRulesOf.GroupVersion().String(), APIResources: []metav1.APIResource{{Name: taintRulesOf.Resource}}}}
	c := &Cluster{
		Options: o, clientset: clientset, tracker: newHistory(clientset.Tracker()),
		changes: map[schema.GroupVersionResource]int{}, since: map[string]time.Time{}, snapshots: map[schema.GroupVersionResource]snapshot{}, restarts: map[component]int{},
		generations: map[string]int64{}, conflicted: map[string]bool{}, documents: documents{}, membersSeen: map[types.UID]bool{}, metadataLeft: map[string]*MetadataFile{}, lackedTemplate: map[types.UID]bool{}, boundSeen: map[types.UID]bool{}, lackedQuota: map[types.UID]bool{}, counters: counters{bindings: map[[2]string]int{}}, scheduler: started, evictor: evictor{readAt: -1}, kubelets: newKubelets(), drivers: map[string]*Driver{}, stopped: map[string]*stoppedDriver{}, returned: map[string]time.Time{},
	}
	clientset.PrependReactor("*", "*", c.request)
	clientset.PrependReactor("list", "*", c.list)
	clientset.PrependReactor("create", "*", c.create)
	clientset.PrependReactor("delete", "*", c.delete)
	clientset.PrependReactor("update", "*", c.dropInUpdate)
	clientset.PrependReactor("update", "resourceclaims", c.updateClaim)
	clientset.PrependReactor("patch", "pods", c.patchPod)
	clientset.PrependReactor("patch", "namespaces", c.patchNamespace)
	clientset.PrependReactor("update", "resourceslices", c.updateSlice)
	clientset.PrependReactor("update", "devicetaintrules", c.updateRule)
	clientset.PrependReactor("*", "*", c.record)
	clientset.PrependWatchReactor("*", c.watch)
	clientset.PrependReactor("update", "*", c.conflict)
	clientset.PrependReactor("create", "subjectaccessreviews", c.reviewAccess)
	clientset.PrependReactor("*", "*", c.refuse)
	return c, nil
}

// Err returns the first error of the simulation, if any. A run that saw it says nothing
// about its specs.
func (c *Cluster) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Client returns a client of the cluster.
func (c *Cluster) Client() kubernetes.Interface { return client{c.clientset, c} }

// The resources that the cluster uses.
var (
	namespaces = corev1.SchemeGroupVersion.WithResource("namespaces")
	accounts   = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	pods       = corev1.SchemeGroupVersion.WithResource("pods")
	events     = corev1.SchemeGroupVersion.WithResource("events")
	claims     = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims"}
	classesOf  = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses"}
	nodesOf    = corev1.SchemeGroupVersion.WithResource("nodes")
	slicesOf   = schema.GroupVersionResource{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices"}
)

// request lets every component perform its due actions, and then performs the
// request.
func (c *Cluster) request(action clienttesting.Action) (bool, runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if action.GetVerb() == "get" || action.GetVerb() == "list" {
		c.advanceForRead()
		return clienttesting.ObjectReaction(c.tracker)(action)
	}
	c.advance()
	if action.GetResource() != pods {
		c.changes[action.GetResource()]++
	}
	return clienttesting.ObjectReaction(c.tracker)(action)
}

// advance lets every component perform its due actions. The caller holds the
// lock.
func (c *Cluster) advance() {
	for _, act := range []func() error{c.removeSlices, c.runJobs, c.removeDeleted, c.unprepareUnused, c.makeGroupClaims, c.makeClaims, c.changeClaims, c.publishHosts, c.publishRest, c.observeSlices, c.observeLate, c.schedule, c.reserve, c.evictPods, c.startPods, c.reportHealth, c.reportPools} {
		if err := act(); err != nil {
			if c.err == nil {
				c.err = fmt.Errorf("fake cluster: %w", err)
			}
			// An error would look like a fault of the simulated cluster.
			panic(c.err.Error())
		}
	}
}

// due reports whether the lag has passed since the first call with these
// arguments.
func (c *Cluster) due(action string, object fmt.Stringer) bool {
	return c.dueAfter(c.Lag, action, object)
}

// dueAfter is due with another time than the lag.
func (c *Cluster) dueAfter(delay time.Duration, action string, object fmt.Stringer) bool {
	key := action + " " + object.String()
	if _, ok := c.since[key]; !ok {
		c.since[key] = time.Now()
	}
	return time.Since(c.since[key]) >= delay
}
