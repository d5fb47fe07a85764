// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package classiccluster is an in-memory cluster of Kubernetes 1.31 with classic DRA
// (KEP-3063) for unit tests of specs: an API server, a scheduler, a controller manager,
// and two nodes with kubelets and a driver. They behave correctly unless a fault is
// configured. Most specs play the drivers of other nodes.
package classiccluster

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/e2e/internal/reads"
)

// object is an object of the API.
type object = map[string]any

// busyAfter is the number of reads of which a busy API server fails the last one.
const busyAfter = 10

// Cluster is the cluster. Its components act before each request.
type Cluster struct {
	mistakes Mistakes

	mu sync.Mutex
	// objects are all objects by path.
	objects map[string]object
	changes int
	// reads is the number of reads.
	reads int
	// driver is the one that acts: the installed one, or one that a spec has started.
	driver, installed, started *driver
	// lost are the paths of pods that the scheduler has forgotten.
	lost map[string]bool
	// bound are the UIDs of users of claims that were bound to a node.
	bound map[string]bool
	// running has the number of pods that run with each claim, by path, and unprepared the
	// claims whose devices containers cannot see any more.
	running    map[string]int
	unprepared map[string]bool
	// restarts are the restarts of containers by the paths of their pods.
	restarts map[string]int
	// minor is the release, and served the version of the API that is served, if any.
	// byDefault states that it has the default feature gates.
	minor, served string
	byDefault     bool
	// storedIn are the versions in which objects are stored, by their paths.
	storedIn map[string]version
	// structured are the paths of claims that the scheduler has allocated.
	structured map[string]bool
	// lastClass is the name of the class that was deleted last.
	lastClass string
}

// New returns a client of a new cluster, and access to its driver and its scheduler.
func New(mistakes Mistakes) (kubernetes.Interface, Access, error) {
	c := &Cluster{
		mistakes: mistakes, objects: map[string]object{}, lost: map[string]bool{}, bound: map[string]bool{},
		unprepared: map[string]bool{}, restarts: map[string]int{}, storedIn: map[string]version{}, structured: map[string]bool{},
		minor: "1.31",
	}
	if mistakes.Earlier {
		c.minor = "1.30"
	}
	c.served = releases[c.minor].serves
	c.installed = newDriver(driverName, devicesPerNode)
	c.addWorkers()
	config := &rest.Config{
		Host: "http://classic.example.com", Transport: c, QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
	config.Wrap(reads.Repeat) // The client is like that of a run.
	client, err := kubernetes.NewForConfig(config)
	return client, Access{c}, err
}

// RoundTrip implements [http.RoundTripper].
func (c *Cluster) RoundTrip(request *http.Request) (*http.Response, error) {
	var body object
	if request.Body != nil {
		content, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		if len(content) > 0 {
			if err := json.Unmarshal(content, &body); err != nil {
				return nil, err
			}
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	if pod, ok := strings.CutSuffix(request.URL.Path, "/log"); ok {
		return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(c.log(c.objects[pod]))), Request: request}, nil
	}
	answer, failure := c.serve(request, body)
	status := http.StatusOK
	if failure != nil {
		status = int(failure.Code)
		answer = object{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": failure.Message, "reason": failure.Reason, "code": failure.Code}
	}
	content, err := json.Marshal(answer)
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: status, Header: http.Header{"Content-Type": []string{"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(content))), Request: request,
	}, nil
}

func failed(code int32, reason metav1.StatusReason, format string, arguments ...any) *metav1.Status {
	return &metav1.Status{Code: code, Reason: reason, Message: fmt.Sprintf(format, arguments...)}
}

// serve performs a request.
func (c *Cluster) serve(request *http.Request, body object) (object, *metav1.Status) {
	if c.isBusy(request) {
		return nil, failed(http.StatusInternalServerError, metav1.StatusReasonUnknown, "etcdserver: request timed out")
	}
	path, served := c.route(request.URL.Path)
	if !served {
		return nil, failed(http.StatusNotFound, metav1.StatusReasonNotFound, "the server could not find the requested resource")
	}
	path, status := c.adapt(path, body), false
	if trimmed, ok := strings.CutSuffix(path, "/status"); ok {
		path, status = trimmed, true
	}
	switch request.Method {
	case http.MethodPost:
		return c.create(path, body)
	case http.MethodGet:
		return c.get(path)
	case http.MethodPatch:
		return c.patch(path, status, body)
	case http.MethodDelete:
		return c.delete(path, body)
	}
	return nil, failed(http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed, "method %s is not known", request.Method)
}

// isBusy reports whether the API server cannot perform a request at the moment, as set by
// [Mistakes.Busy].
func (c *Cluster) isBusy(request *http.Request) bool {
	if request.Method != http.MethodGet {
		return false
	}
	c.reads++
	return c.mistakes.Busy && c.reads%busyAfter == 0
}

func (c *Cluster) create(path string, o object) (object, *metav1.Status) {
	if pod, ok := strings.CutSuffix(path, "/binding"); ok {
		return c.patch(pod, false, object{"spec": object{"nodeName": text(o, "target", "name")}})
	}
	metadata := at(o, "metadata")
	if metadata == nil {
		metadata = object{}
		o["metadata"] = metadata
	}
	name, _ := metadata["name"].(string)
	key := path + "/" + name
	if _, found := c.objects[key]; found {
		return nil, failed(http.StatusConflict, metav1.StatusReasonAlreadyExists, "%s already exists", key)
	}
	c.changes++
	metadata["uid"] = fmt.Sprintf("uid-%d", c.changes)
	if _, rest, ok := strings.Cut(path, "/namespaces/"); ok {
		metadata["namespace"], _, _ = strings.Cut(rest, "/")
	}
	if why := c.validate(kindOf(path), nil, o); why != "" {
		return nil, failed(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "%s %q is invalid: %s", kindOf(path), name, why)
	}
	c.objects[key] = o
	c.store(key)
	if kindOf(path) == "namespaces" {
		c.objects[key+"/serviceaccounts/default"] = object{"metadata": object{"name": "default"}}
	}
	return o, nil
}

func (c *Cluster) get(path string) (object, *metav1.Status) {
	if o, found := c.objects[path]; found {
		return o, nil
	}
	if isList(path) {
		keys, items := c.keysOf(path), []object{}
		for _, key := range keys {
			items = append(items, c.objects[key])
		}
		if failure := c.unreadable(keys); failure != nil {
			return nil, failure
		}
		return object{"metadata": object{}, "items": items}, nil
	}
	return nil, failed(http.StatusNotFound, metav1.StatusReasonNotFound, "%s not found", path)
}

func (c *Cluster) patch(path string, status bool, change object) (object, *metav1.Status) {
	old, found := c.objects[path]
	if !found {
		return nil, failed(http.StatusNotFound, metav1.StatusReasonNotFound, "%s not found", path)
	}
	c.dropOtherPart(kindOf(parent(path)), status, change)
	changed := merge(clone(old), change)
	if why := c.validate(kindOf(parent(path)), old, changed); why != "" {
		return nil, failed(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "%s is invalid: %s", path, why)
	}
	c.objects[path] = changed
	c.store(path)
	c.removeIfDone(path)
	return changed, nil
}

// dropOtherPart removes the status from changes of objects, and all else from those of their
// status.
func (c *Cluster) dropOtherPart(resource string, status bool, change object) {
	if slices.Contains([]string{"nodes", "pods"}, resource) || c.mistakes.MixesParts && resource == "podschedulingcontexts" {
		return
	}
	maps.DeleteFunc(change, func(field string, _ any) bool { return (field == "status") != status })
}

func (c *Cluster) delete(path string, options object) (object, *metav1.Status) {
	o, found := c.objects[path]
	if !found {
		return nil, failed(http.StatusNotFound, metav1.StatusReasonNotFound, "%s not found", path)
	}
	at(o, "metadata")["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	if kindOf(parent(path)) == "deviceclasses" {
		c.lastClass = kindOf(path)
	}
	if c.mistakes.DropsData && kindOf(parent(path)) == "deviceclasses" {
		c.dropData()
	}
	if grace, _ := options["gracePeriodSeconds"].(float64); grace == 0 || text(o, "spec", "nodeName") == "" {
		c.removeIfDone(path) // No kubelet ends pods on other nodes than workers.
	}
	return object{"kind": "Status", "status": "Success"}, nil
}

// removeIfDone removes a deleted object without finalizers, with what is in it.
func (c *Cluster) removeIfDone(path string) {
	metadata := at(c.objects[path], "metadata")
	if finalizers, _ := metadata["finalizers"].([]any); metadata["deletionTimestamp"] == nil || len(finalizers) > 0 && !c.mistakes.IgnoresFinalizers {
		return
	}
	maps.DeleteFunc(c.objects, func(key string, _ object) bool { return key == path || strings.HasPrefix(key, path+"/") })
}
