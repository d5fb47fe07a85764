// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api defines the requests and responses of the node agent, a pod of a
// run that calls DRA drivers on its node as the kubelet does.
//
// The agent is reached through the API server's proxy for pods. All requests
// are POST requests with a JSON body, so that a client only needs the verb
// create for pods/proxy. Unknown fields are errors. The body of an error
// response is {"error": "<why>"}. Its status is 400 (invalid request), 403
// (wrong token), 404 (the driver has not registered) or 429 (too many requests
// at a time).
//
// Everyone who may use the proxy of the pod, or who reaches its address in the
// network of the cluster, can send requests. Therefore each request must have
// the token of the run in the header Draconform-Token, because the proxy
// consumes the header Authorization. The token is in a Secret, not in the pod.
// In addition, an agent only calls the drivers that it was started for.
//
//	/agent/v1/ping           Empty              Empty
//	/agent/v1/registrations  DriverRequest      Registrations
//	/agent/v1/prepare        Calls              a list of Answer
//	/agent/v1/unprepare      Calls              a list of Answer
//	/agent/v1/health         HealthRequest      HealthReport
//	/agent/v1/cdi            Empty              a list of CDIFile
//	/agent/v1/cdi/hide       CDIFileVersions    Empty
//	/agent/v1/cdi/restore    CDIPaths           Empty
//	/agent/v1/cdi/discard    CDIPaths           Empty
//	/agent/v1/claims         Empty              a list of KubeletClaim
//	/agent/v1/pod-resources  PodRequest         PodResources
package api

import (
	"errors"
	"time"
)

const (
	// TokenHeader is the HTTP header that contains the token.
	TokenHeader = "Draconform-Token"
	// Port is the TCP port of the agent in its pod.
	Port = 8080
	// Base is the prefix of all paths.
	Base = "/agent/v1"
)

// The paths of requests.
const (
	PathPing          = Base + "/ping"
	PathRegistrations = Base + "/registrations"
	PathPrepare       = Base + "/prepare"
	PathUnprepare     = Base + "/unprepare"
	PathHealth        = Base + "/health"
	PathCDI           = Base + "/cdi"
	PathHideCDI       = PathCDI + "/hide"
	PathRestoreCDI    = PathCDI + "/restore"
	PathDiscardCDI    = PathCDI + "/discard"
	PathClaims        = Base + "/claims"
	PathPodResources  = Base + "/pod-resources"
)

// Limits of requests.
const (
	// MaxBody is the maximum size of a request body in bytes.
	MaxBody = 1 << 20
	// MaxCalls is the maximum number of gRPC calls of a request.
	MaxCalls = 64
	// MaxClaims is the maximum number of claims of a gRPC call.
	MaxClaims = 32
	// DefaultTimeout is the default time limit of a gRPC call, and that of the
	// kubelet.
	DefaultTimeout = 45 * time.Second
	// MaxTimeout is the maximum time limit of a gRPC call.
	MaxTimeout = time.Minute
	// RequestTimeout limits the time of a request with all its gRPC calls.
	RequestTimeout = 3 * time.Minute
)

// Errors of requests. Other errors are unexpected.
var (
	// ErrInvalid indicates that a request is invalid.
	ErrInvalid = errors.New("invalid request")
	// ErrForbidden indicates that a request has the wrong token.
	ErrForbidden = errors.New("the header " + TokenHeader + " does not have the token of the run")
	// ErrNotRegistered indicates that the driver has not registered on the
	// node: no socket in the plugin registry directory returns its name.
	ErrNotRegistered = errors.New("not registered")
	// ErrBusy indicates that the agent processes too many requests.
	ErrBusy = errors.New("too many requests at a time")
)

// Empty is an empty request or response.
type Empty struct{}

// DriverRequest is a request about a driver.
type DriverRequest struct {
	Driver string `json:"driver"`
}

// Failure is the body of an error response.
type Failure struct {
	Error string `json:"error"`
}
