// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Request is what a run did, as an API server authorizes it.
type Request struct {
	Verb, Group, Resource, Namespace, URL string
}

func (r Request) String() string {
	return Right{Verb: r.Verb, Group: r.Group, Resource: r.Resource, Namespace: r.Namespace, URL: r.URL}.String()
}

// permits reports whether a right permits a request.
func (r Right) permits(q Request) bool {
	return r.covers(Right{Verb: q.Verb, Group: q.Group, Resource: q.Resource, Namespace: q.Namespace, URL: q.URL})
}

// isUsedBy reports whether a request needs a right. Since Kubernetes 1.36, the API
// server asks for further rights on writes of the status of claims, for
// subresources that no request names (KEP-4817).
func (r Right) isUsedBy(q Request) bool {
	if r.Group == resourceapi.GroupName && (r.Resource == "resourceclaims/binding" || r.Resource == "resourceclaims/driver") {
		_, verb, prefixed := strings.Cut(r.Verb, ":")
		if !prefixed {
			verb = r.Verb
		}
		return q.Group == r.Group && q.Resource == "resourceclaims/status" && q.Verb == verb
	}
	return r.permits(q)
}

// public are requests that every user may make, and those whose rejection a run
// tolerates.
func (r Request) public() bool {
	switch {
	case r.URL != "":
		return r.URL != "/metrics" // discovery and versions, see the ClusterRole system:discovery
	case r.Resource == "selfsubjectaccessreviews":
		return true // see the ClusterRole system:basic-user
	}
	switch {
	case r.Verb == "get" && (r.Resource == "secrets" || r.Resource == "runtimeclasses"):
		return true // Whether those of a driver file exist is only checked if they can be read.
	case r.Verb == "list" && r.Resource == "resourcequotas":
		return true // So is the room in quotas, which dry runs show for one pod.
	}
	// The report has the releases of the control plane only if they can be read.
	return r.Verb == "list" && r.Resource == "pods" && r.Namespace == "kube-system"
}

// Compare compares rights with what a run did. It returns the requests that no
// right permits, and the rights that no request used. A right for all
// namespaces must be used in some namespace.
func Compare(rights []Right, requests []Request) (missing []Request, unused []Right) {
	for _, q := range requests {
		if q.public() || slices.Contains(missing, q) || slices.ContainsFunc(rights, func(r Right) bool { return r.permits(q) }) {
			continue
		}
		missing = append(missing, q)
	}
	for _, r := range rights {
		if !slices.ContainsFunc(requests, r.isUsedBy) {
			unused = append(unused, r)
		}
	}
	return missing, unused
}

// Denied returns the right that a request lacked, by its verb and its error. It
// returns false for errors about something else.
func Denied(verb string, err error) (Right, bool) {
	var status apierrors.APIStatus
	if !apierrors.IsForbidden(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return Right{}, false
	}
	details := status.Status().Details
	return Right{Verb: verb, Group: details.Group, Resource: details.Kind}, true
}

// auditEvent has the fields of an event of an audit log (audit.k8s.io/v1) that
// authorization depends on.
type auditEvent struct {
	Stage string `json:"stage"`
	Verb  string `json:"verb"`
	User  struct {
		Username string `json:"username"`
	} `json:"user"`
	RequestURI string `json:"requestURI"`
	ObjectRef  *struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
		Namespace   string `json:"namespace"`
		APIGroup    string `json:"apiGroup"`
	} `json:"objectRef"`
}

// ReadAuditLog returns the requests of a user in an audit log of the API server,
// each once, in their order. The log has one event per line.
func ReadAuditLog(log io.Reader, user string) ([]Request, error) {
	var requests []Request
	seen := map[Request]bool{}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var event auditEvent
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return nil, fmt.Errorf("read line %d of the audit log: %w", n, err)
		}
		if q := event.request(); event.User.Username == user && !seen[q] {
			seen[q] = true
			requests = append(requests, q)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return requests, nil
}

func (e auditEvent) request() Request {
	if e.ObjectRef == nil {
		path, _, _ := strings.Cut(e.RequestURI, "?")
		return Request{Verb: e.Verb, URL: path}
	}
	resource := e.ObjectRef.Resource
	if e.ObjectRef.Subresource != "" {
		resource += "/" + e.ObjectRef.Subresource
	}
	return Request{Verb: e.Verb, Group: e.ObjectRef.APIGroup, Resource: resource, Namespace: e.ObjectRef.Namespace}
}
