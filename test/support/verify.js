// Has programs of TIR verified after every pass that compiles a function, in this process and in those that it starts.
'use strict';

process.env.GRAPHJIT_VERIFY ??= '1';
