// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/e2e/internal/access"
)

// documents are objects of resource.k8s.io that clients write and read as JSON,
// by path. No other component reads them.
type documents map[string]map[string]any

// answerUntyped answers an untyped request for objects of resource.k8s.io in a
// version. Objects look the same in all versions. What is written in dry runs is
// returned and not stored.
func (c *Cluster) answerUntyped(version string, request *http.Request) ([]byte, error) {
	c.requests.add(authorized(request))
	c.mu.Lock()
	defer c.mu.Unlock()
	path := request.URL.Path
	var object map[string]any
	switch request.Method {
	case http.MethodGet:
		if object = copyOf(c.documents[path]); object == nil {
			return nil, fmt.Errorf("%s does not exist", path)
		}
		c.misconvert(version, object)
	case http.MethodDelete:
		delete(c.documents, path)
		object = map[string]any{"kind": "Status", "status": "Success"}
	default:
		if err := json.NewDecoder(request.Body).Decode(&object); err != nil {
			return nil, err
		}
		c.misconvert(version, object)
		if change := c.Mistakes.Misstores; change != nil {
			change(object)
		}
		c.keepParts(path, object)
		c.countGeneration(path, object)
		if request.URL.Query().Get("dryRun") == "" {
			name, _ := object["metadata"].(map[string]any)["name"].(string)
			c.documents[path+"/"+name] = copyOf(object)
		}
	}
	return json.Marshal(object)
}

// keepParts gives an object that is written at a path the parts of the stored one that
// the endpoint does not change.
func (c *Cluster) keepParts(path string, object map[string]any) {
	of, toStatus := strings.CutSuffix(path, "/status")
	stored := copyOf(c.documents[of])
	switch {
	case stored == nil:
	case toStatus && !c.storesAll("status"):
		object["metadata"], object["spec"] = stored["metadata"], stored["spec"]
	case !toStatus && !c.storesAll("update"):
		if object["status"] = stored["status"]; stored["status"] == nil {
			delete(object, "status")
		}
	}
}

// countGeneration sets the generation of an object that is written at a path, if it is
// of a kind that has one. It counts the changes of the spec.
func (c *Cluster) countGeneration(path string, object map[string]any) {
	kinds := []any{"ResourceSlice", "DeviceClass", "DeviceTaintRule"}
	if !slices.Contains(kinds, object["kind"]) || strings.HasSuffix(path, "/status") {
		return
	}
	before := 0.0
	stored := c.documents[path]
	if stored != nil {
		before, _ = stored["metadata"].(map[string]any)["generation"].(float64)
	}
	changed := !equality.Semantic.DeepEqual(stored["spec"], object["spec"])
	generation := int64(before)
	switch miscount := c.Mistakes.MiscountsGenerations; {
	case miscount != nil:
		generation = miscount(generation, changed)
	case changed:
		generation++
	}
	object["metadata"].(map[string]any)["generation"] = generation
}

// misconvert applies the faults of conversions between versions.
func (c *Cluster) misconvert(version string, object map[string]any) {
	if change := c.Mistakes.Misconverts; change != nil {
		change(version, object)
	}
}

func copyOf(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	content, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("fake cluster: %v", err)) // It was decoded from JSON.
	}
	var copied map[string]any
	if err := json.Unmarshal(content, &copied); err != nil {
		panic(fmt.Sprintf("fake cluster: %v", err))
	}
	return copied
}

// authorized returns what an API server authorizes for a request of
// resource.k8s.io, or for pods. Its path has a resource, with or without a namespace, a name and
// a subresource.
func authorized(request *http.Request) access.Request {
	verbs := map[string]string{http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodDelete: "delete"}
	path := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	q := access.Request{Verb: verbs[request.Method], Group: resourceapi.GroupName}
	if i := slices.Index(path, "namespaces"); i >= 0 {
		q.Namespace, path = path[i+1], path[i+2:]
	}
	if q.Resource = path[0]; q.Resource == "pods" {
		q.Group = corev1.GroupName
	}
	if len(path) > 2 {
		q.Resource += "/" + path[2]
	}
	return q
}
